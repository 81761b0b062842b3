package direct_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const bearer = "Bearer s3cret"

// install makes all requests that an installation makes.
func install(t *testing.T, source *direct.Source, p sources.Provider) {
	t.Helper()
	if _, err := source.Versions(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	pkg, err := source.Package(t.Context(), p, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pkg.Claims(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), pkg); err != nil {
		t.Fatal(err)
	}
}

// with returns an edit of the configuration that sets the credentials for a host.
func with(host string) func(*direct.Config) {
	return func(c *direct.Config) {
		c.Credentials = sources.StaticCredentials{sources.MustParseHost(host): "s3cret"}
	}
}

// TestWhichRequestsCarryTheToken reads the registry's log: the API does, what it refers to does not.
func TestWhichRequestsCarryTheToken(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Token: "s3cret", Releases: []registrytest.Release{alpha()}})
	install(t, connect(s, with(s.Host())), provider(t, s, "acme/alpha"))
	want := map[registrytest.Kind]string{
		registrytest.KindDiscovery: bearer,
		registrytest.KindVersions:  bearer,
		registrytest.KindPackage:   bearer,
		registrytest.KindSums:      "",
		registrytest.KindSignature: "",
		registrytest.KindArchive:   "",
	}
	for _, r := range s.Requests() {
		if r.Authorization != want[r.Kind] {
			t.Errorf("%s: Authorization %q, want %q", r.Kind, r.Authorization, want[r.Kind])
		}
		delete(want, r.Kind)
	}
	if len(want) > 0 {
		t.Errorf("no requests for %v", want)
	}
}

func TestTokenOfAnotherHostIsNotSent(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, port, _ := strings.Cut(s.Host(), ":")
	for _, host := range []string{"127.0.0.1", "localhost:" + port, "registry.example.com", "example.com"} {
		s.ResetRequests()
		install(t, connect(s, with(host)), provider(t, s, "acme/alpha"))
		for _, r := range s.Requests() {
			if r.Authorization != "" {
				t.Errorf("%s carries the token of %s", r.Kind, host)
			}
		}
	}
}

// A registry whose API is elsewhere does not get the token of the host that said so, but may have one of its own.
func TestRegistryOnAnotherOrigin(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere := strings.Replace(s.Host(), "127.0.0.1", "localhost", 1)
	misbehave(t, s, discoveryBody(`{"providers.v1": "https://`+elsewhere+`/v1/providers/"}`))
	for _, c := range []struct{ host, discovery, api string }{
		{s.Host(), bearer, ""},
		{elsewhere, "", bearer},
	} {
		s.ResetRequests()
		install(t, connect(s, with(c.host)), provider(t, s, "acme/alpha"))
		for _, r := range s.Requests() {
			want := map[registrytest.Kind]string{
				registrytest.KindDiscovery: c.discovery, registrytest.KindVersions: c.api, registrytest.KindPackage: c.api,
			}[r.Kind]
			if r.Authorization != want {
				t.Errorf("token for %s; %s of %s: Authorization %q, want %q", c.host, r.Kind, r.Host, r.Authorization, want)
			}
		}
	}
}

func TestNoRedirectTakesTheTokenAlong(t *testing.T) {
	t.Parallel()
	for _, kind := range []registrytest.Kind{registrytest.KindDiscovery, registrytest.KindVersions, registrytest.KindPackage} {
		s := start(t)
		elsewhere := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
		misbehave(t, s, registrytest.Fault{Kind: kind, Times: 1, Hook: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}})
		install(t, connect(s, with(s.Host())), provider(t, s, "acme/alpha"))
		redirected := 0
		for _, r := range s.Requests() {
			if strings.HasPrefix(r.Host, "localhost") {
				redirected++
				if r.Authorization != "" {
					t.Errorf("%s: the redirect took the token along", r.Kind)
				}
			}
		}
		if redirected == 0 {
			t.Errorf("%s: no request was redirected", kind)
		}
	}
}

// Whoever configures where a host's registry is vouches for that place: it gets the host's token, unless it has one of
// its own, and never over plain http.
func TestTokenWithServices(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := sources.MustParseProvider("registry.example.com/acme/alpha")
	for _, c := range []struct {
		name        string
		credentials sources.StaticCredentials
		want        string
	}{
		{"the host's", sources.StaticCredentials{example: "s3cret"}, bearer},
		{"the place's", sources.StaticCredentials{example: "other", sources.MustParseHost(s.Host()): "s3cret"}, bearer},
		{"neither", sources.StaticCredentials{sources.DefaultRegistry: "s3cret"}, ""},
	} {
		s.ResetRequests()
		install(t, connect(s, func(config *direct.Config) {
			config.Credentials = c.credentials
			config.Services = map[sources.Host]map[string]string{example: s.Services()}
		}), p)
		for _, r := range s.Requests() {
			want := c.want
			if r.Kind != registrytest.KindVersions && r.Kind != registrytest.KindPackage {
				want = ""
			}
			if r.Authorization != want {
				t.Errorf("%s: %s: Authorization %q, want %q", c.name, r.Kind, r.Authorization, want)
			}
		}
	}
}

func TestNoTokenOverPlainHTTP(t *testing.T) {
	t.Parallel()
	asked := false
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = true
		if r.Header.Get("Authorization") != "" {
			t.Error("the token went over plain http")
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(plain.Close)
	source := direct.New(direct.Config{
		Credentials: sources.StaticCredentials{example: "s3cret", sources.MustParseHost(plain.Listener.Addr().String()): "s3cret"},
		Services:    map[sources.Host]map[string]string{example: {"providers.v1": plain.URL + "/"}},
	})
	_, err := source.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/alpha"))
	if !errors.Is(err, sources.ErrNotFound) || !asked {
		t.Errorf("error = %v", err)
	}
}

func TestRefusalTellsWhetherThereWasAToken(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Token: "another", Releases: []registrytest.Release{alpha()}})
	p := provider(t, s, "acme/alpha")
	_, without := connect(s, nil).Versions(t.Context(), p)
	_, rejected := connect(s, with(s.Host())).Versions(t.Context(), p)
	for _, err := range []error{without, rejected} {
		if !errors.Is(err, sources.ErrUnauthorized) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("error = %v, want ErrUnauthorized", err)
		}
	}
	if without.Error() == rejected.Error() {
		t.Errorf("both say %q", without)
	}
}

// helper is a source of credentials that fails.
type helper struct{ err error }

func (h helper) Token(context.Context, sources.Host) (sources.Token, error) { return "", h.err }

var _ sources.Credentials = helper{}

func TestCredentialsFail(t *testing.T) {
	t.Parallel()
	s := start(t)
	broken := errors.New("the helper program is not installed")
	source := connect(s, func(c *direct.Config) { c.Credentials = helper{broken} })
	_, err := source.Versions(t.Context(), provider(t, s, "acme/alpha"))
	var credentials *sources.CredentialsError
	if !errors.As(err, &credentials) || credentials.Host.String() != s.Host() || !errors.Is(err, broken) {
		t.Errorf("error = %v, want a CredentialsError", err)
	}
	if n := s.Count(""); n != 0 {
		t.Errorf("%d requests without credentials", n)
	}
}
