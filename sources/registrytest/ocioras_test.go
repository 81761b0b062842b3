package registrytest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// These tests ask the client that OpenTofu uses.

// orasRepository returns a repository of the server as ORAS sees it.
func orasRepository(t *testing.T, s *registrytest.Server, name string, credential auth.Credential) *remote.Repository {
	t.Helper()
	repository, err := remote.NewRepository(s.Host() + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	repository.Client = &auth.Client{Client: s.Client(), Cache: auth.NewCache(), Credential: auth.StaticCredential(s.Host(), credential)}
	return repository
}

func fetched(t *testing.T, repository *remote.Repository, d ocispec.Descriptor) []byte {
	t.Helper()
	data, err := content.FetchAll(t.Context(), repository, d)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestORASPullsARelease(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]registrytest.OCI{
		"open":  {},
		"basic": {Auth: registrytest.OCIAuth{Scheme: registrytest.OCIBasic, Users: map[string]string{"ann": "secret"}}},
		"bearer": {PageSize: 1, BlobHost: "localhost", Auth: registrytest.OCIAuth{
			Scheme: registrytest.OCIBearer, Users: map[string]string{"ann": "secret"}, TokenHost: "localhost",
		}},
	} {
		s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha, {Provider: "acme/alpha", Version: "1.1.0"}}, OCI: cfg})
		repository := orasRepository(t, s, "mirror/acme/alpha", auth.Credential{Username: "ann", Password: "secret"})
		var tags []string
		if err := repository.Tags(t.Context(), "", func(page []string) error { tags = append(tags, page...); return nil }); err != nil || fmt.Sprint(tags) != "[1.0.0 1.1.0]" {
			t.Fatalf("%s: the tags are %v, error %v", name, tags, err)
		}
		resolved, err := repository.Resolve(t.Context(), "1.0.0")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		index := decode[ocispec.Index](t, fetched(t, repository, resolved))
		image := decode[ocispec.Manifest](t, fetched(t, repository, index.Manifests[0]))
		if archive := fetched(t, repository, image.Layers[0]); sum(archive) != alphaBlob(t, s) {
			t.Errorf("%s: the archive has %d bytes", name, len(archive))
		}
		if _, err := repository.Resolve(t.Context(), "9.9.9"); !errors.Is(err, errdef.ErrNotFound) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestORASSeeksInBlobs(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	archive := good(t, s.Client(), s.URL()+alphaArchive).body
	repository := orasRepository(t, s, "mirror/acme/alpha", auth.EmptyCredential)
	body, err := repository.Blobs().Fetch(t.Context(), content.NewDescriptorFromBytes("", archive))
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if _, err := body.(io.Seeker).Seek(1000, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(body); err != nil || !bytes.Equal(rest, archive[1000:]) {
		t.Errorf("%d bytes, error %v", len(rest), err)
	}
}

// TestORASPushes is what a publisher does: an index of images, tagged, with a referrer.
func TestORASPushes(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]registrytest.OCI{
		"open":         {},
		"no referrers": {NoReferrers: true},
		"tokens":       {Auth: registrytest.OCIAuth{Scheme: registrytest.OCIBearer, RefreshTokens: map[string]string{"refresh": "ann"}}},
	} {
		s := emptyRegistry(t, cfg)
		repository := orasRepository(t, s, "a/b", auth.Credential{RefreshToken: "refresh"})
		image := packed(t, repository, "application/vnd.opentofu.provider-target", oras.PackManifestOptions{
			Layers: []ocispec.Descriptor{pushed(t, repository, "archive/zip", []byte("a zip"))},
		})
		data, _ := json.Marshal(ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{image}})
		index := content.NewDescriptorFromBytes(ocispec.MediaTypeImageIndex, data)
		if err := repository.PushReference(t.Context(), index, bytes.NewReader(data), "1.0.0"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		statement := packed(t, repository, "application/vnd.example.statement", oras.PackManifestOptions{Subject: &index})
		fresh := orasRepository(t, s, "a/b", auth.Credential{RefreshToken: "refresh"})
		if got := referrersOf(t, fresh, index); !slices.Contains(got, statement.Digest) || len(got) != 1 {
			t.Errorf("%s: the referrers are %v", name, got)
		}
		tags := 0
		if err := fresh.Tags(t.Context(), "", func(page []string) error { tags += len(page); return nil }); err != nil || (tags == 2) != cfg.NoReferrers {
			t.Errorf("%s: %d tags, error %v", name, tags, err)
		}
	}
}

func packed(t *testing.T, repository *remote.Repository, artifactType string, options oras.PackManifestOptions) ocispec.Descriptor {
	t.Helper()
	d, err := oras.PackManifest(t.Context(), repository, oras.PackManifestVersion1_1, artifactType, options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func pushed(t *testing.T, repository *remote.Repository, mediaType string, data []byte) ocispec.Descriptor {
	t.Helper()
	d, err := oras.PushBytes(t.Context(), repository, mediaType, data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func referrersOf(t *testing.T, repository *remote.Repository, d ocispec.Descriptor) (found []digest.Digest) {
	t.Helper()
	err := repository.Referrers(t.Context(), d, "", func(page []ocispec.Descriptor) error {
		for _, r := range page {
			found = append(found, r.Digest)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestORASMounts(t *testing.T) {
	t.Parallel()
	for refused, kinds := range map[bool]string{false: "POST", true: "POST PUT"} {
		s := emptyRegistry(t, registrytest.OCI{NoMount: refused})
		from, to := orasRepository(t, s, "a/b", auth.EmptyCredential), orasRepository(t, s, "c/d", auth.EmptyCredential)
		d := pushed(t, from, "archive/zip", []byte("a zip"))
		s.ResetRequests()
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a zip")), nil }
		if err := to.Mount(t.Context(), d, "a/b", open); err != nil {
			t.Fatal(err)
		}
		var methods []string
		for _, r := range s.Requests() {
			methods = append(methods, r.Method)
		}
		if got := strings.Join(methods, " "); got != kinds || string(fetched(t, to, d)) != "a zip" {
			t.Errorf("refused %v: the requests were %s", refused, got)
		}
	}
}

// TestORASIsRefused: wrong credentials get nobody in, and a registry that is never content is no endless loop for ORAS.
func TestORASIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scheme     registrytest.OCIScheme
		credential auth.Credential
		faults     []registrytest.Fault
	}{
		"basic":    {registrytest.OCIBasic, auth.Credential{Username: "ann", Password: "x"}, nil},
		"password": {registrytest.OCIBearer, auth.Credential{Username: "ann", Password: "x"}, nil},
		"refresh":  {registrytest.OCIBearer, auth.Credential{RefreshToken: "x"}, nil},
		"access":   {registrytest.OCIBearer, auth.Credential{AccessToken: "x"}, nil},
		"nobody":   {registrytest.OCIBearer, auth.EmptyCredential, nil},
		"for ever": {registrytest.OCIBearer, auth.Credential{Username: "ann", Password: "secret"}, []registrytest.Fault{{Kind: registrytest.KindOCITags, Status: 401}}},
	} {
		s := registrytest.New(t, registrytest.Config{
			Releases: []registrytest.Release{alpha}, Faults: tt.faults,
			OCI: registrytest.OCI{Auth: registrytest.OCIAuth{Scheme: tt.scheme, Users: map[string]string{"ann": "secret"}}},
		})
		repository := orasRepository(t, s, "mirror/acme/alpha", tt.credential)
		err := repository.Tags(context.WithoutCancel(t.Context()), "", func([]string) error { return nil })
		if err == nil || s.Count("") > 5 {
			t.Errorf("%s: error %v after %d requests", name, err, s.Count(""))
		}
		for _, r := range s.Requests() {
			if r.Kind == registrytest.KindOCITags && r.Status != 401 {
				t.Errorf("%s: status %d", name, r.Status)
			}
		}
	}
}

func TestORASFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	const digestHeader = "Docker-Content-Digest"
	for name, fault := range map[string]registrytest.Fault{
		"digest":      {Kind: registrytest.KindOCIManifest, Method: "GET", Header: map[string]string{digestHeader: sum(nil)}},
		"no digest":   {Kind: registrytest.KindOCIManifest, Method: "HEAD", Header: map[string]string{digestHeader: ""}},
		"body":        {Kind: registrytest.KindOCIManifest, Method: "GET", WrongHash: true},
		"header type": {Kind: registrytest.KindOCIManifest, Method: "GET", ContentType: "text/html"},
		"truncated":   {Kind: registrytest.KindOCIManifest, Method: "GET", TruncateAt: 10},
	} {
		s := faulty(t, fault)
		repository := orasRepository(t, s, "mirror/acme/alpha", auth.EmptyCredential)
		resolved, err := repository.Resolve(t.Context(), "1.0.0")
		if err == nil {
			_, err = content.FetchAll(t.Context(), repository, resolved)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
