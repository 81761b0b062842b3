package direct_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Without a slash at its end, the last segment of the base URL is replaced, as in every reference.
func TestServiceURLWithoutSlash(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, discoveryBody(`{"providers.v1": "/v1/providers"}`))
	_, err := connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
	if !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error = %v, want ErrNotFound", err)
	}
	if requests := s.Requests(); requests[len(requests)-1].Path != "/v1/acme/alpha/versions" {
		t.Errorf("requests: %v", requests)
	}
}

// A host without a registry is most likely a mistake in the address. It must not make a chain go on.
func TestHostWithoutRegistry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault registrytest.Fault
		other string
	}{
		"no document":    {registrytest.Fault{Status: 404}, ""},
		"no service":     {discoveryBody(`{"modules.v1": "/"}`), ""},
		"newer service":  {discoveryBody(`{"providers.v9": "/"}`), "providers.v9"},
		"empty document": {discoveryBody(`{}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			c.fault.Kind = registrytest.KindDiscovery
			misbehave(t, s, c.fault)
			_, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
			var none *direct.NoRegistryError
			if !errors.As(err, &none) || none.Other != c.other || errors.Is(err, sources.ErrNotFound) {
				t.Errorf("error = %v, want a NoRegistryError that is no absence", err)
			}
			if !strings.Contains(err.Error(), c.other) {
				t.Errorf("the message lacks %q: %v", c.other, err)
			}
		})
	}
}

func TestServicesReplaceDiscovery(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, services := range map[string]map[string]string{
		"absolute": s.Services(),
		"relative": {"providers.v1": "../v1/providers/"}, // to https://registry.example.com/.well-known/terraform.json
	} {
		source := connect(s, func(c *direct.Config) { c.Services = map[sources.Host]map[string]string{example: services} })
		listing, err := source.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/alpha"))
		if err != nil || len(listing.Versions) != 1 {
			t.Errorf("%s: listing = %v, %v", name, listing, err)
		}
	}
	if n := s.Count(registrytest.KindDiscovery); n != 0 {
		t.Errorf("%d discovery requests", n)
	}
}

func TestServicesWithoutRegistry(t *testing.T) {
	t.Parallel()
	for _, services := range []map[string]string{nil, {}, {"modules.v1": "/"}} {
		s := start(t)
		source := connect(s, func(c *direct.Config) { c.Services = map[sources.Host]map[string]string{example: services} })
		_, err := source.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/alpha"))
		var none *direct.NoRegistryError
		if !errors.As(err, &none) || s.Count("") != 0 {
			t.Errorf("error = %v after %d requests, want a NoRegistryError after none", err, s.Count(""))
		}
	}
}

func TestRegistryURLsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, base := range map[string]string{
		"plain http": "http://registry.example.com/v1/",
		"user name":  "https://user:hidden@registry.example.com/v1/",
		"file":       "file:///etc/",
		"opaque":     "mailto:hidden@example.com",
	} {
		s := start(t)
		misbehave(t, s, discoveryBody(`{"providers.v1": "`+base+`"}`))
		_, err := connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
		if err == nil || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: error = %v", name, err)
		}
	}
}

// TestInternationalHost shows which host is asked, and where, for an address that people write in Unicode.
func TestInternationalHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "xn--bcher-kva.example" {
			t.Errorf("Host: %s", r.Host)
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.EscapedPath() {
		case "/.well-known/terraform.json":
			_, _ = io.WriteString(w, `{"providers.v1": "/"}`)
		case "/verlag/f%C3%BCr-alle/versions":
			_, _ = io.WriteString(w, `{"versions": [{"version": "1.0.0"}]}`)
		default:
			t.Errorf("path %s", r.URL.EscapedPath())
		}
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is for another name
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != "xn--bcher-kva.example:443" {
				t.Errorf("dials %s", address)
			}
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}}
	p := sources.MustParseProvider("BÜCHER.example/verlag/für-alle")
	listing, err := direct.New(direct.Config{Client: client}).Versions(t.Context(), p)
	if err != nil || len(listing.Versions) != 1 {
		t.Errorf("listing = %v, %v", listing, err)
	}
}
