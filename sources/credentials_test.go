package sources_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

const secret = "t0p-s3cret"

func TestTokenDoesNotShowItself(t *testing.T) {
	t.Parallel()
	token := sources.Token(secret)
	host := sources.MustParseHost("registry.example.com")
	shown := map[string]any{
		"token":   token,
		"pointer": &token,
		"slice":   []sources.Token{token},
		"struct":  struct{ Token sources.Token }{token},
		"table":   sources.StaticCredentials{host: token},
		"error":   fmt.Errorf("bad: %v", token),
	}
	for name, value := range shown {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s", "%t", "% x"} {
			if text := fmt.Sprintf(verb, value); contains(text, secret) {
				t.Errorf("%s by %s: %s", name, verb, text)
			}
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "v", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", value)
		if contains(log.String(), secret) {
			t.Errorf("%s in a log: %s", name, log.String())
		}
	}
	if data, err := json.Marshal(token); err != nil || contains(string(data), secret) {
		t.Errorf("in JSON: %s, %v", data, err)
	}
	if fmt.Sprint(sources.Token("")) != "" {
		t.Error("no token looks like one")
	}
	if string(token) != secret {
		t.Error("the token is lost")
	}
}

// contains looks for the secret in plain text and in hexadecimal.
func contains(text, secret string) bool {
	return strings.Contains(text, secret) || strings.Contains(strings.ToLower(strings.ReplaceAll(text, " ", "")), fmt.Sprintf("%x", secret))
}

func TestStaticCredentials(t *testing.T) {
	t.Parallel()
	c := sources.StaticCredentials{sources.MustParseHost("registry.example.com:8443"): secret}
	for host, want := range map[string]sources.Token{
		"registry.example.com:8443": secret, "REGISTRY.example.com:08443": secret,
		"registry.example.com": "", "example.com:8443": "", "a.registry.example.com:8443": "",
	} {
		if got, err := c.Token(t.Context(), sources.MustParseHost(host)); got != want || err != nil {
			t.Errorf("%s: a token: %v, want %v", host, got != "", want != "")
		}
	}
	var none sources.StaticCredentials
	if got, err := none.Token(t.Context(), sources.DefaultRegistry); got != "" || err != nil {
		t.Error("a token from nowhere")
	}
}

func TestHostOfURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://registry.example.com/v1/":       "registry.example.com",
		"https://registry.example.com:443/":      "registry.example.com",
		"https://Registry.Example.com:8443/?a=b": "registry.example.com:8443",
		"https://xn--bcher-kva.example/":         "bücher.example",
		"https://user:pw@registry.example.com/":  "registry.example.com",
		"https://127.0.0.1:8443/":                "127.0.0.1:8443",
		"https://[::1]:8443/":                    "",
		"https:///":                              "",
		"https://registry.example.com:/":         "",
		"https://xn--a.example/":                 "",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		host, err := sources.HostOfURL(u)
		if host.String() != want || (err == nil) != (want != "") {
			t.Errorf("HostOfURL(%s) = %s, %v; want %q", in, host, err, want)
		}
	}
}
