package ocimirror_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// trusting returns a client that trusts several servers.
func trusting(servers ...*registrytest.Server) *http.Client {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AppendCertsFromPEM(s.CA())
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

func trust(servers ...*registrytest.Server) func(*ocimirror.Config) {
	return func(c *ocimirror.Config) { c.Client = trusting(servers...) }
}

// mustBeBare checks that no request to a server came with credentials, and that there were some.
func mustBeBare(t *testing.T, s *registrytest.Server, kinds ...registrytest.Kind) {
	t.Helper()
	n := 0
	for _, r := range s.Requests() {
		if len(kinds) > 0 && r.Kind != kinds[0] {
			continue
		}
		n++
		if r.Authorization != "" || r.Grant != "" {
			t.Errorf("%s %s%s came with credentials", r.Method, r.Host, r.Path)
		}
	}
	if n == 0 {
		t.Error("there were no requests")
	}
}

func TestCredentialsDoNotGoToObjectStores(t *testing.T) {
	t.Parallel()
	for _, auth := range []registrytest.OCIAuth{basic(), bearer()} {
		s := start(t, registrytest.Config{OCI: registrytest.OCI{Auth: auth, BlobHost: "localhost"}})
		if err := install(t, connect(t, s, with(signedIn()))); err != nil {
			t.Fatal(err)
		}
		mustBeBare(t, s, registrytest.KindOCIStorage)
	}
}

// Redirects of documents to another registry are followed without credentials, and its demand for some is not met.
func TestCredentialsDoNotFollowRedirects(t *testing.T) {
	t.Parallel()
	for _, auth := range []registrytest.OCIAuth{basic(), bearer()} {
		for _, kind := range []registrytest.Kind{registrytest.KindOCITags, registrytest.KindOCIManifest, registrytest.KindOCIReferrers, registrytest.KindOCIBlob} {
			open, guardedToo := start(t, registrytest.Config{}), guarded(t, auth)
			for _, other := range []*registrytest.Server{open, guardedToo} {
				s := guarded(t, auth)
				fault(t, s, registrytest.Fault{Kind: kind, Hook: func(w http.ResponseWriter, r *http.Request) bool {
					http.Redirect(w, r, other.URL()+r.URL.Path, http.StatusTemporaryRedirect)
					return true
				}})
				err := install(t, connect(t, s, with(signedIn()), trust(s, other)))
				if other == guardedToo && !errors.Is(err, sources.ErrUnauthorized) || other == open && err != nil {
					t.Errorf("%s, %s: %v", auth.Scheme, kind, err)
				}
				mustBeBare(t, other)
			}
		}
	}
}

// Who was sent away and back again comes without credentials: what he asks for is what the other host wants.
func TestCredentialsDoNotReturn(t *testing.T) {
	t.Parallel()
	s, other := guarded(t, basic()), start(t, registrytest.Config{})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Times: 1, Redirect: other.URL() + "/v2/mirror/acme/rocket/tags/list"})
	fault(t, other, registrytest.Fault{Kind: registrytest.KindOCITags, Redirect: s.URL() + "/v2/mirror/acme/secret/tags/list"})
	_, err := connect(t, s, with(signedIn()), trust(s, other)).Versions(t.Context(), rocket)
	if !errors.Is(err, sources.ErrUnauthorized) {
		t.Errorf("error is %v", err)
	}
	mustBeBare(t, s)
	mustBeBare(t, other)
}

func TestRedirectsWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, kind := range []registrytest.Kind{registrytest.KindOCITags, registrytest.KindOCIManifest, registrytest.KindOCIReferrers, registrytest.KindOCIBlob} {
		s := guarded(t, bearer())
		fault(t, s, registrytest.Fault{Kind: kind, RedirectLoop: true})
		if err := install(t, connect(t, s, with(signedIn()))); err == nil || !strings.Contains(err.Error(), "too many redirects") {
			t.Errorf("%s: %v", kind, err)
		}
		if n := s.Count(kind); n > 30 {
			t.Errorf("%s: %d requests", kind, n)
		}
	}
}

// Redirects inside of the registry keep the credentials.
func TestRedirectsAtHome(t *testing.T) {
	t.Parallel()
	s := guarded(t, bearer())
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Path: "/v2/mirror/acme/rocket/tags/list", Redirect: "/v2/mirror/acme/rocket/tags/list/"})
	if err := install(t, connect(t, s, with(signedIn()))); err != nil {
		t.Error(err)
	}
}

func TestRedirectsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]string{
		"plain http": "http://127.0.0.1:1/x",
		"elsewhere":  "http://evil.example/x",
		"a user":     "https://user:pw@127.0.0.1:1/x",
		"a scheme":   "file:///etc/passwd",
	} {
		for _, kind := range []registrytest.Kind{registrytest.KindOCITags, registrytest.KindOCIManifest, registrytest.KindOCIReferrers, registrytest.KindOCIBlob} {
			s := guarded(t, bearer())
			fault(t, s, registrytest.Fault{Kind: kind, Redirect: location})
			err := install(t, connect(t, s, with(signedIn())))
			if err == nil || errors.Is(err, sources.ErrNotFound) || errors.Is(err, sources.ErrUnavailable) || !strings.Contains(err.Error(), "refused to request") {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}

// A registry that names the token service of another one does not get a token for that: it is the credentials for itself
// that go there, and there they mean nothing.
func TestTokenServicesOfOthers(t *testing.T) {
	t.Parallel()
	victim, hostile := guarded(t, bearer()), guarded(t, bearer())
	fault(t, hostile, challenge(`Bearer realm="`+victim.URL()+`/token",service="registrytest",scope="repository:mirror/acme/rocket:pull"`))
	keychain := &ocimirror.Keychain{Entries: []ocimirror.KeychainEntry{
		{Registry: victim.Host(), Credential: ocimirror.Credential{Username: user, Password: password}},
		{Registry: hostile.Host(), Credential: ocimirror.Credential{Username: "mallory", Password: "guess"}},
	}}
	_, err := connect(t, hostile, with(keychain), trust(hostile, victim)).Versions(t.Context(), rocket)
	if !errors.Is(err, sources.ErrUnauthorized) {
		t.Errorf("error is %v", err)
	}
	for _, s := range []*registrytest.Server{victim, hostile} {
		for _, r := range s.Requests() {
			if name, secret, ok := basicAuth(r.Authorization); ok && (name == user || secret == password) {
				t.Errorf("%s %s came with the other registry's credentials", r.Method, r.Path)
			}
		}
	}
}

func basicAuth(header string) (user, password string, ok bool) {
	return (&http.Request{Header: http.Header{"Authorization": {header}}}).BasicAuth()
}

// Credentials for one repository do not go to another of the same registry.
func TestCredentialsOfRepositories(t *testing.T) {
	t.Parallel()
	for _, scheme := range []registrytest.OCIScheme{registrytest.OCIBasic, registrytest.OCIBearer} {
		s := start(t, registrytest.Config{
			Releases: []registrytest.Release{released("1.0.0"), {Provider: "acme/anvil", Version: "1.0.0"}},
			OCI: registrytest.OCI{Auth: registrytest.OCIAuth{
				Scheme: scheme, Users: map[string]string{"r": "r-pass", "a": "a-pass"},
				Allow: func(user, repository, _ string) bool {
					return user == "r" && repository == repositoryOf || user == "a" && repository == "mirror/acme/anvil"
				},
			}},
		})
		source := connect(t, s, with(&ocimirror.Keychain{Entries: []ocimirror.KeychainEntry{
			{Registry: s.Host(), Credential: ocimirror.Credential{Username: "a", Password: "a-pass"}},
			{Registry: s.Host(), Repository: repositoryOf, Credential: ocimirror.Credential{Username: "r", Password: "r-pass"}},
		}}))
		for _, p := range []sources.Provider{rocket, sources.MustParseProvider("acme/anvil"), rocket} {
			if _, err := source.Versions(t.Context(), p); err != nil {
				t.Errorf("%s, %s: %v", scheme, p, err)
			}
		}
	}
}
