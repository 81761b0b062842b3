package registrytest_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// alphaOCI is where the OCI registry has acme/alpha.
const alphaOCI = "/v2/mirror/acme/alpha"

const indexType = "application/vnd.oci.image.index.v1+json"

func sum512(data []byte) string { return fmt.Sprintf("sha512:%x", sha512.Sum512(data)) }

func sum(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// TestArtifactIsWhatOpenTofuWants has the artifact of a release word by word, as
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci describes it.
func TestArtifactIsWhatOpenTofuWants(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{
		Provider: "acme/alpha", Version: "1.0.0+linux.build", Platforms: []string{"linux_amd64", "windows_arm64"},
		Archive: func(platform string) ([]byte, error) { return []byte("zip of " + platform), nil },
	}}})
	index := good(t, s.Client(), s.URL()+alphaOCI+"/manifests/1.0.0_linux.build")
	image := func(zip string) string {
		return fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target",`+
			`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2},`+
			`"layers":[{"mediaType":"archive/zip","digest":%q,"size":%d}]}`, sum([]byte(zip)), len(zip))
	}
	linux, windows := image("zip of linux_amd64"), image("zip of windows_arm64")
	want := fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","artifactType":"application/vnd.opentofu.provider","manifests":[`+
		`{"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target","digest":%q,"size":%d,"platform":{"architecture":"amd64","os":"linux"}},`+
		`{"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target","digest":%q,"size":%d,"platform":{"architecture":"arm64","os":"windows"}}]}`,
		sum([]byte(linux)), len(linux), sum([]byte(windows)), len(windows))
	if string(index.body) != want {
		t.Errorf("the index is\n%s, want\n%s", index.body, want)
	}
	if got := index.header.Get("Content-Type"); got != indexType {
		t.Errorf("the index is of type %q", got)
	}
	for _, text := range []string{linux, windows} {
		r := good(t, s.Client(), s.URL()+alphaOCI+"/manifests/"+sum([]byte(text)))
		if string(r.body) != text || r.header.Get("Content-Type") != "application/vnd.oci.image.manifest.v1+json" {
			t.Errorf("an image is\n%s of type %q, want\n%s", r.body, r.header.Get("Content-Type"), text)
		}
	}
	for _, blob := range []string{"{}", "zip of linux_amd64", "zip of windows_arm64"} {
		if r := good(t, s.Client(), s.URL()+alphaOCI+"/blobs/"+sum([]byte(blob))); string(r.body) != blob {
			t.Errorf("the blob %q is %q", blob, r.body)
		}
	}
}

func TestLayerIsTheArchiveOfTheRelease(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	archive := good(t, s.Client(), s.URL()+alphaArchive).body
	if blob := good(t, s.Client(), s.URL()+alphaOCI+"/blobs/"+sum(archive)).body; !bytes.Equal(blob, archive) {
		t.Error("the blob is not the archive")
	}
}

func TestHeadTellsDigestTypeAndSize(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	whole := good(t, s.Client(), s.URL()+alphaOCI+"/manifests/1.0.0")
	for _, reference := range []string{"1.0.0", sum(whole.body)} {
		resp, err := s.Client().Head(s.URL() + alphaOCI + "/manifests/" + reference)
		if err != nil {
			t.Fatal(err)
		}
		digest, mediaType := resp.Header.Get("Docker-Content-Digest"), resp.Header.Get("Content-Type")
		if resp.StatusCode != 200 || digest != sum(whole.body) || mediaType != indexType || resp.ContentLength != int64(len(whole.body)) {
			t.Errorf("%s: status %d, digest %q, type %q, %d bytes", reference, resp.StatusCode, digest, mediaType, resp.ContentLength)
		}
	}
}

func TestBlobsComeInRanges(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	archive := good(t, s.Client(), s.URL()+alphaArchive).body
	url := s.URL() + alphaOCI + "/blobs/" + sum(archive)
	for header, want := range map[string][]byte{
		"bytes=100-": archive[100:], "bytes=0-99": archive[:100], "bytes=5-5": archive[5:6], "bytes=-7": archive[len(archive)-7:],
	} {
		if r := get(t, s.Client(), url, "Range", header); r.status != http.StatusPartialContent || !bytes.Equal(r.body, want) {
			t.Errorf("%s: status %d, %d bytes", header, r.status, len(r.body))
		}
	}
	if r := get(t, s.Client(), url, "Range", "bytes=99999999-"); r.status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a range outside: status %d", r.status)
	}
	without := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, NoRanges: true})
	if r := get(t, without.Client(), without.URL()+alphaOCI+"/blobs/"+sum(archive), "Range", "bytes=100-"); r.status != 200 || !bytes.Equal(r.body, archive) {
		t.Errorf("without ranges: status %d, %d bytes", r.status, len(r.body))
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	for path, code := range map[string]string{
		"/v2/mirror/acme/beta/tags/list":                  "NAME_UNKNOWN",
		"/v2/mirror/acme/beta/manifests/1.0.0":            "NAME_UNKNOWN",
		alphaOCI + "/manifests/2.0.0":                     "MANIFEST_UNKNOWN",
		alphaOCI + "/manifests/" + sum(nil):               "MANIFEST_UNKNOWN",
		alphaOCI + "/blobs/" + sum(nil):                   "BLOB_UNKNOWN",
		alphaOCI + "/blobs/uploads/nothing":               "BLOB_UPLOAD_UNKNOWN",
		"/v2/mirror/acme/beta/blobs/" + sum(nil):          "BLOB_UNKNOWN",
		"/v2/mirror/other/alpha/blobs/" + alphaBlob(t, s): "BLOB_UNKNOWN",
	} {
		r := get(t, s.Client(), s.URL()+path)
		doc := decode[ociErrors](t, r.body)
		if r.status != 404 || len(doc.Errors) != 1 || doc.Errors[0].Code != code || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: status %d, %s", path, r.status, r.body)
		}
	}
	if r := get(t, s.Client(), s.URL()+"/v2/Mirror/Acme/tags/list"); r.status != 400 || !strings.Contains(string(r.body), "NAME_INVALID") {
		t.Errorf("an impossible name: status %d, %s", r.status, r.body)
	}
}

type ociErrors struct {
	Errors []struct{ Code, Message string }
}

// alphaBlob returns the digest of alpha's archive for linux_amd64.
func alphaBlob(t *testing.T, s *registrytest.Server) string {
	t.Helper()
	return sum(good(t, s.Client(), s.URL()+alphaArchive).body)
}

type tagsDoc struct {
	Name string
	Tags []string
}

func TestReleasesComeAndGo(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	for _, version := range []string{"1.1.0", "1.1.0-rc1", "2.0.0+a"} {
		if err := s.Add(registrytest.Release{Provider: "acme/alpha", Version: version}); err != nil {
			t.Fatal(err)
		}
	}
	s.Remove("acme/alpha", "1.0.0")
	doc := decode[tagsDoc](t, good(t, s.Client(), s.URL()+alphaOCI+"/tags/list").body)
	if got := fmt.Sprint(doc); got != "{mirror/acme/alpha [1.1.0 1.1.0-rc1 2.0.0_a]}" {
		t.Errorf("got %s", got)
	}
}

func TestRepositoriesAreNamedByConfig(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{
		Releases: []registrytest.Release{alpha, {Provider: "host.example/acme/alpha", Version: "2.0.0"}, {Provider: "acme/Beta", Version: "1.0.0"}},
		OCI: registrytest.OCI{Repository: func(hostname, namespace, providerType string) string {
			return strings.TrimPrefix(hostname+"/"+namespace+"-"+providerType, "/")
		}},
	})
	for provider, want := range map[string]string{
		"acme/alpha": "acme-alpha", "host.example/acme/alpha": "host.example/acme-alpha", "acme/Beta": "", "nonsense": "",
	} {
		if want != "" {
			want = s.Host() + "/" + want
			good(t, s.Client(), "https://"+strings.Replace(want, "/", "/v2/", 1)+"/tags/list")
		}
		if got := s.OCIRepository(provider); got != want {
			t.Errorf("%s is at %q, want %q", provider, got, want)
		}
	}
	if got, want := s.OCITemplate(), s.Host()+"/${hostname}/${namespace}-${type}"; got != want {
		t.Errorf("the template is %q", got)
	}
}

func TestEmptyRegistryOffersNothing(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, OCI: registrytest.OCI{Empty: true}})
	if r := get(t, s.Client(), s.URL()+alphaOCI+"/tags/list"); r.status != 404 {
		t.Errorf("status %d", r.status)
	}
	if got, want := s.OCITemplate(), s.Host()+"/mirror/${namespace}/${type}"; got != want || s.OCIRepository("acme/alpha") != "" {
		t.Errorf("the template is %q", got)
	}
}

func TestLogTellsWhatOCIRequestsAreFor(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "a.example/acme/alpha", Version: "1.0.0+x"}}})
	for _, path := range []string{"/v2/", alphaOCI + "/tags/list?n=1", alphaOCI + "/manifests/1.0.0_x", alphaOCI + "/referrers/" + sum(nil)} {
		good(t, s.Client(), s.URL()+path)
	}
	var got []string
	for _, r := range s.Requests() {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", r.Kind, r.Provider, r.Version, r.Repository, r.Query))
	}
	want := "oci ping||||\noci tags|acme/alpha||mirror/acme/alpha|n=1\n" +
		"oci manifest|acme/alpha|1.0.0+x|mirror/acme/alpha|\noci referrers|acme/alpha||mirror/acme/alpha|"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s", text)
	}
}

// TestBlobsAreOnDisk: the server keeps large archives, and what clients push, in files, so that their size does not matter.
func TestBlobsAreOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := registrytest.New(t, registrytest.Config{
		Dir:      dir,
		Releases: []registrytest.Release{{Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux_amd64"}, Size: 8 << 20}},
	})
	upload(t, s, "mirror/acme/alpha", "pushed")
	blobs := []string{alphaOCI + "/blobs/" + alphaBlob(t, s), alphaOCI + "/blobs/" + sum([]byte("pushed"))}
	for _, path := range blobs {
		good(t, s.Client(), s.URL()+path)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skip(err) // Windows, when the server has not closed a file yet
	}
	for _, path := range blobs {
		if r := get(t, s.Client(), s.URL()+path); r.status != http.StatusInternalServerError {
			t.Errorf("%s: without its file, the blob has status %d", path, r.status)
		}
	}
}
