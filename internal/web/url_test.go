package web_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// loopback connects to this machine, whatever host is asked for.
func loopback(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://example.com/a?b":      "https://example.com:443",
		"HTTPS://EXAMPLE.com:443/":     "https://example.com:443",
		"http://example.com":           "http://example.com:80",
		"https://example.com:8443":     "https://example.com:8443",
		"https://user:pw@[::1]:8443/x": "https://::1:8443",
	} {
		if got := web.Origin(parse(t, in)); got != want {
			t.Errorf("Origin(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://example.com/a%2Fb":               "https://example.com/a%2Fb",
		"https://u:secret@example.com/a?s=secret": "https://example.com/a?…",
		"https://example.com/a#secret":            "https://example.com/a",
		"mailto:secret":                           "mailto:",
		"":                                        "",
	} {
		if got := web.Redact(parse(t, in)); got != want {
			t.Errorf("Redact(%s) = %s, want %s", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("https", "user", "/path", "sig=1", "fragment")
	f.Add("http", "", "", "", "")
	f.Fuzz(func(t *testing.T, scheme, user, path, query, fragment string) {
		const secret = "S3CRET"
		u := &url.URL{Scheme: scheme, User: url.UserPassword(user+secret, secret), Host: "h", Path: path, RawQuery: query + secret, Fragment: secret}
		if got := web.Redact(u); strings.Contains(got, secret) && !strings.Contains(scheme+path, secret) {
			t.Errorf("Redact tells the secret: %q", got)
		}
	})
}

// TestPlainHTTP shows which URLs are requested at all.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	server := serve(t, text("fine"))
	for _, c := range []struct {
		host             string
		insecure, accept bool
	}{
		{"127.0.0.1", false, true},
		{"localhost", false, true},
		{"registry.localhost", false, true},
		{"127.9.9.9", false, true},
		{"[::1]", false, true},
		{"example.com", false, false},
		{"localhost.example.com", false, false},
		{"notlocalhost", false, false},
		{"192.168.0.1", false, false},
		{"0.0.0.0", false, false},
		{"[::]", false, false},
		{"example.com", true, true},
	} {
		client := quick()
		client.PlainHTTPInsecure = c.insecure
		client.HTTP = &http.Client{Transport: &http.Transport{DialContext: loopback}}
		_, err := get(t, client, named(server.URL, c.host))
		var refused *web.RefusedError
		if c.accept != (err == nil) || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s, insecure %v: error = %v, want accepted: %v", c.host, c.insecure, err, c.accept)
		}
	}
}

// TestSecretsStayOutOfErrors makes requests fail in every way, with a secret in the query.
func TestSecretsStayOutOfErrors(t *testing.T) {
	t.Parallel()
	closed := serve(t, text(""))
	closed.Close()
	limited := serve(t, text(strings.Repeat("x", 2000)))
	for name, address := range map[string]string{
		"refused":   "http://example.com/a?sig=S3CRET",
		"user":      "https://user:S3CRET@127.0.0.1/",
		"scheme":    "s3://bucket/a?sig=S3CRET",
		"closed":    closed.URL + "/a?sig=S3CRET",
		"status":    serve(t, status(403)).URL + "/a?sig=S3CRET",
		"limit":     limited.URL + "/a?sig=S3CRET",
		"broken":    serve(t, http.HandlerFunc(hangUp)).URL + "/a?sig=S3CRET",
		"no TLS":    strings.Replace(limited.URL, "http:", "https:", 1) + "/a?sig=S3CRET",
		"untrusted": serveTLS(t, text("")).URL + "/a?sig=S3CRET",
	} {
		_, err := get(t, quick(), address)
		if err == nil || strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("%s: error = %v", name, err)
		}
		if name == "limit" {
			continue // archives have none here
		}
		if _, _, err = quick().Open(t.Context(), web.Archive{URL: parse(t, address)}); err == nil || strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("%s: error of an archive = %v", name, err)
		}
	}
}
