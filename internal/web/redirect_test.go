package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// origins is a network of servers, each of which redirects a path "/0" to the next stop of a journey and reports who
// came with credentials.
type origins struct {
	mu      sync.Mutex
	journey []string // base URLs
	tokens  []string // the Authorization header at each stop
	referer []string
}

func (o *origins) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tokens = append(o.tokens, r.Header.Get("Authorization"))
	o.referer = append(o.referer, r.Header.Get("Referer"))
	if next := len(o.tokens); next < len(o.journey) {
		http.Redirect(w, r, fmt.Sprintf("%s/%d?sig=secret", o.journey[next], next), http.StatusTemporaryRedirect)
	}
}

// TestCredentialsStayWithTheirOrigin follows redirects over several origins, some of which the standard client holds
// for the same.
func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	const yes, no = "Bearer t0ken", ""
	for _, c := range []struct {
		name    string
		journey func(a, b string) []string // of two origins on one host
		want    []string
	}{
		{"same origin", func(a, b string) []string { return []string{a, a} }, []string{yes, yes}},
		{"other port", func(a, b string) []string { return []string{a, b} }, []string{yes, no}},
		{"other host", func(a, b string) []string { return []string{a, named(b, "other.localhost")} }, []string{yes, no}},
		{"subdomain", func(a, b string) []string {
			return []string{named(a, "example.localhost"), named(a, "sub.example.localhost")}
		}, []string{yes, no}},
		{"there and back", func(a, b string) []string { return []string{a, b, a, a} }, []string{yes, no, no, no}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var o origins
			a, b := serveTLS(t, &o), serveTLS(t, &o)
			o.journey = c.journey(a.URL, b.URL)
			_, err := anywhere(a, b).Get(t.Context(), web.Get{URL: parse(t, o.journey[0]+"?sig=secret"), Token: "t0ken", Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.tokens, c.want) {
				t.Errorf("credentials at each stop: %q, want %q", o.tokens, c.want)
			}
			if referer := strings.Join(o.referer, ""); referer != "" {
				t.Errorf("the Referer tells %q", referer)
			}
		})
	}
}

func TestCredentialsAreNotDowngraded(t *testing.T) {
	t.Parallel()
	var o origins
	secure, plain := serveTLS(t, &o), serve(t, &o)
	o.journey = []string{secure.URL, plain.URL}
	c := trusting(secure)
	c.PlainHTTPInsecure = true
	if _, err := c.Get(t.Context(), web.Get{URL: parse(t, secure.URL), Token: "t0ken", Limit: 100}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Bearer t0ken", ""}; !slices.Equal(o.tokens, want) {
		t.Errorf("credentials at each stop: %q, want %q", o.tokens, want)
	}
}

// named replaces the host of an address, not the port.
func named(address, host string) string { return strings.Replace(address, "127.0.0.1", host, 1) }

// anywhere returns a client that finds the servers under every host name and does not look at certificates.
func anywhere(servers ...*httptest.Server) *web.Client {
	transport := servers[0].Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.InsecureSkipVerify = true
	transport.DialContext = loopback
	c := quick()
	c.HTTP = &http.Client{Transport: transport}
	return c
}

func TestRefusedRedirects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, location, why string }{
		{"loop", "/start", "too many redirects"},
		{"other scheme", "ftp://files.example.com/a?sig=hidden", "neither https nor http"},
		{"file", "file:///etc/passwd", "neither https nor http"},
		{"no host", "https:///a", "names no host"},
		{"user name", "https://user:hidden@example.com/", "user name"},
		{"https to http", "http://example.com/?sig=hidden", "plain http"},
		{"https to http on this machine", "http://127.0.0.1:1/?sig=hidden", "https to plain http"},
		{"not a URL", "https://example.com/%zz?sig=hidden", "not a URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &script{steps: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", c.location)
				w.WriteHeader(http.StatusFound)
			}}}
			server := serveTLS(t, s)
			for _, request := range []func(*web.Client) error{
				func(client *web.Client) error { _, err := get(t, client, server.URL+"/start?sig=hidden"); return err },
				func(client *web.Client) error {
					_, _, err := client.Open(t.Context(), web.Archive{URL: parse(t, server.URL+"/start?sig=hidden")})
					return err
				},
			} {
				before := s.requests()
				err := request(trusting(server))
				var refused *web.RefusedError
				if !errors.As(err, &refused) || !strings.Contains(refused.Why, c.why) {
					t.Errorf("error = %v, want a RefusedError: %s", err, c.why)
				}
				if strings.Contains(err.Error(), "hidden") {
					t.Errorf("the error tells a secret: %v", err)
				}
				if n := s.requests() - before; n > web.MaxRedirects {
					t.Errorf("%d requests", n)
				}
			}
		})
	}
}

func TestRedirectsWithinTheLimit(t *testing.T) {
	t.Parallel()
	var o origins
	server := serve(t, &o)
	for range web.MaxRedirects {
		o.journey = append(o.journey, server.URL)
	}
	if _, err := get(t, quick(), server.URL); err != nil {
		t.Error(err)
	}
}
