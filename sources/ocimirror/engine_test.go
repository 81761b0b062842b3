package ocimirror_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// put stores something in a registry.
func put(t *testing.T, client *http.Client, url, mediaType string, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", mediaType)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("PUT %s: %s", url, resp.Status)
	}
}

func sha256Of(body []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(body)) }

func sha512Of(body []byte) string { return fmt.Sprintf("sha512:%x", sha512.Sum512(body)) }

// offer puts a provider's version into a repository the way OpenTofu's documentation tells people to, with the manifest
// known by a digest of some kind, and returns the archive.
func offer(t *testing.T, client *http.Client, repository, tag string, digestOf func([]byte) string) []byte {
	t.Helper()
	archive := []byte("the archive of " + tag)
	upload(t, client, repository, archive)
	upload(t, client, repository, []byte("{}"))
	image := fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target",`+
		`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":%q,"size":2},"layers":[{"mediaType":"archive/zip","digest":%q,"size":%d}]}`,
		sha256Of([]byte("{}")), sha256Of(archive), len(archive))
	put(t, client, repository+"/manifests/"+digestOf(image), "application/vnd.oci.image.manifest.v1+json", image)
	index := fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","artifactType":"application/vnd.opentofu.provider",`+
		`"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target","digest":%q,"size":%d,"platform":{"os":"linux","architecture":"amd64"}}]}`,
		digestOf(image), len(image))
	put(t, client, repository+"/manifests/"+tag, "application/vnd.oci.image.index.v1+json", index)
	return archive
}

func upload(t *testing.T, client *http.Client, repository string, blob []byte) {
	t.Helper()
	resp, err := client.Post(repository+"/blobs/uploads/?digest="+url.QueryEscape(sha256Of(blob)), "application/octet-stream", bytes.NewReader(blob))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %s", repository, resp.Status)
	}
}

// mustHave checks that a source has what was offered.
func mustHave(t *testing.T, source *ocimirror.Source, archive []byte) {
	t.Helper()
	if versions, _ := listed(t, source); strings.Join(versions, " ") != "1.0.0" {
		t.Errorf("versions are %q", versions)
	}
	pkg, err := describe(t, source)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(t.Context(), pkg); err != nil || !bytes.Equal(got, archive) {
		t.Errorf("got %q, %v", got, err)
	}
	if claims, err := pkg.Claims(t.Context()); err != nil || string(claims.Package[0].Hash) != "zh:"+strings.TrimPrefix(sha256Of(archive), "sha256:") {
		t.Errorf("claims %v, %v", claims, err)
	}
}

// What was put into another implementation of a registry by hand can be read.
func TestAnotherEngine(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]registry.Option{
		"plain":     {registry.Logger(log.New(io.Discard, "", 0))},
		"referrers": {registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewTLSServer(registry.New(options...))
			defer server.Close()
			archive := offer(t, server.Client(), server.URL+"/v2/mirror/acme/rocket", "1.0.0", sha256Of)
			source, err := ocimirror.New(ocimirror.Config{Repository: at(server.Listener.Addr().String()), Client: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			mustHave(t, source, archive)
			if _, err := source.Versions(t.Context(), sources.MustParseProvider("acme/omega")); !errors.Is(err, sources.ErrNotFound) {
				t.Errorf("absence is %v", err)
			}
		})
	}
}

// Manifests can be known by other digests than the package, which lock files know.
func TestOtherDigests(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{OCI: registrytest.OCI{Empty: true}})
	archive := offer(t, s.Client(), s.URL()+"/v2/mirror/acme/rocket", "1.0.0", sha512Of)
	mustHave(t, connect(t, s), archive)
}

func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	archive := offer(t, server.Client(), server.URL+"/v2/mirror/acme/rocket", "1.0.0", sha256Of)
	address := server.Listener.Addr().String()
	source, err := ocimirror.New(ocimirror.Config{Repository: at(address), PlainHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	mustHave(t, source, archive)
	if source, err = ocimirror.New(ocimirror.Config{Repository: at(address), Retries: -1}); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Versions(t.Context(), rocket); err == nil {
		t.Error("http is spoken without being asked for")
	}
}

// answering is a transport that answers with a demand for credentials, and notes who came.
type answering struct {
	challenge string
	came      []*http.Request
}

func (a *answering) RoundTrip(req *http.Request) (*http.Response, error) {
	a.came = append(a.came, req)
	header := http.Header{"Www-Authenticate": {a.challenge}}
	return &http.Response{StatusCode: 401, Header: header, Body: http.NoBody}, nil
}

func TestPlainHTTPToOtherMachines(t *testing.T) {
	t.Parallel()
	network := &answering{challenge: "Basic"}
	cfg := ocimirror.Config{Repository: at("r.example"), PlainHTTP: true, Client: &http.Client{Transport: network}, Credentials: signedIn()}
	source, err := ocimirror.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Versions(t.Context(), rocket); err == nil || !strings.Contains(err.Error(), "plain http is accepted for loopback addresses only") || len(network.came) != 0 {
		t.Errorf("error is %v after %d requests", err, len(network.came))
	}
}

// Where http is allowed, credentials are still not sent over it, neither to the registry nor to a token service.
func TestCredentialsDoNotGoOverPlainHTTP(t *testing.T) {
	t.Parallel()
	for _, challenge := range []string{"Basic", `Bearer realm="http://r.example/token",service="x"`, `Bearer realm="http://auth.example/token",service="x"`} {
		network, credentials := &answering{challenge: challenge}, signedIn()
		source, err := ocimirror.New(ocimirror.Config{
			Repository: at("r.example"), PlainHTTP: true, PlainHTTPInsecure: true, Client: &http.Client{Transport: network}, Credentials: credentials,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrUnauthorized) {
			t.Errorf("%s: %v", challenge, err)
		}
		for _, req := range network.came {
			if req.Header.Get("Authorization") != "" || req.URL.Host != "r.example" || strings.Contains(req.URL.Path, "token") {
				t.Errorf("%s: %s came with %q", challenge, req.URL, req.Header.Get("Authorization"))
			}
		}
		if len(network.came) == 0 || credentials.asked.Load() != 0 {
			t.Errorf("%s: %d requests, credentials asked for %d times", challenge, len(network.came), credentials.asked.Load())
		}
	}
}

// Docker Hub is contacted by the name of its registry, and its credentials are those of its other names.
func TestDockerHub(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"docker.io", "index.docker.io", "registry-1.docker.io", "Docker.io", "docker.io:443"} {
		network := &answering{challenge: "Basic"}
		source, err := ocimirror.New(ocimirror.Config{
			Repository:  at(name),
			Client:      &http.Client{Transport: network},
			Credentials: &ocimirror.Keychain{ConfigFiles: []string{auths(t, "https://index.docker.io/v1/", user+":"+password)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrUnauthorized) || !strings.Contains(err.Error(), "registry-1.docker.io") {
			t.Errorf("%s: %v", name, err)
		}
		for _, req := range network.came {
			if req.URL.Host != "registry-1.docker.io" {
				t.Errorf("%s is asked for at %s", name, req.URL.Host)
			}
		}
		if n := len(network.came); n != 2 {
			t.Fatalf("%s: %d requests", name, n)
		}
		if got, secret, _ := network.came[1].BasicAuth(); got != user || secret != password {
			t.Errorf("%s: came as %q", name, got)
		}
	}
}
