package hostname_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]hostname.Name{
		"example.com":                  {ASCII: "example.com", Unicode: "example.com"},
		"EXAMPLE.Com":                  {ASCII: "example.com", Unicode: "example.com"},
		"localhost":                    {ASCII: "localhost", Unicode: "localhost"},
		"127.0.0.1":                    {ASCII: "127.0.0.1", Unicode: "127.0.0.1"},
		"example.com.":                 {ASCII: "example.com.", Unicode: "example.com."},
		"Bücher.example":               {ASCII: "xn--bcher-kva.example", Unicode: "bücher.example"},
		"bu\u0308cher.example":         {ASCII: "xn--bcher-kva.example", Unicode: "bücher.example"},
		"straße.example":               {ASCII: "xn--strae-oqa.example", Unicode: "straße.example"},
		"ｅｘａｍｐｌｅ．ｃｏｍ":                  {ASCII: "example.com", Unicode: "example.com"},
		"example。com":                  {ASCII: "example.com", Unicode: "example.com"},
		"ﬁle.example":                  {ASCII: "file.example", Unicode: "file.example"},
		"испытание.example":            {ASCII: "xn--80akhbyknj4f.example", Unicode: "испытание.example"},
		"example.com:443":              {ASCII: "example.com", Unicode: "example.com"},
		"example.com:0443":             {ASCII: "example.com", Unicode: "example.com"},
		"example.com:0080":             {ASCII: "example.com:80", Unicode: "example.com:80"},
		"example.com:1":                {ASCII: "example.com:1", Unicode: "example.com:1"},
		"Bücher.example:65535":         {ASCII: "xn--bcher-kva.example:65535", Unicode: "bücher.example:65535"},
		strings.Repeat("a", 70) + ".b": {ASCII: strings.Repeat("a", 70) + ".b", Unicode: strings.Repeat("a", 70) + ".b"},
	} {
		if got, err := hostname.Parse(input); err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", input, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ input, reason, suggestion string }{
		{input: "", reason: "empty"},
		{input: ":8443", reason: "empty"},
		{input: ".", reason: "nothing between two dots"},
		{input: "..", reason: "nothing between two dots"},
		{input: "a..b", reason: "nothing between two dots"},
		{input: ".example.com", reason: "nothing between two dots"},
		{input: "．．", reason: "nothing between two dots"},
		{input: "a.\u00ad.b", reason: "nothing between two dots"}, // a soft hyphen maps to nothing
		{input: "under_score.example", reason: "letters, digits"},
		{input: "spa ce.example", reason: "letters, digits"},
		{input: `back\slash`, reason: "letters, digits"},
		{input: "-example.com", reason: "letters, digits"},
		{input: "*", reason: "letters, digits"},
		{input: "nul\x00", reason: "letters, digits"},
		{input: "bad\xffutf8", reason: "letters, digits"},
		{input: "example.com:", reason: "the port"},
		{input: "example.com:0", reason: "the port"},
		{input: "example.com:-1", reason: "the port"},
		{input: "example.com:+80", reason: "the port"},
		{input: "example.com:65536", reason: "the port"},
		{input: "example.com:99999999999999999999", reason: "the port"},
		{input: "example.com:https", reason: "the port"},
		{input: "[::1]:443", reason: "IPv6"},
		{input: "::1", reason: "IPv6"},
		{input: "xn--bcher-kva.example", reason: "Punycode", suggestion: "bücher.example"},
		{input: "www.XN--bcher-kva.example", reason: "Punycode", suggestion: "www.bücher.example"},
		{input: "ｘｎ－－bcher-kva.example", reason: "Punycode", suggestion: "bücher.example"},
		{input: "www。x\u00adn--bcher-kva.example", reason: "Punycode", suggestion: "www.bücher.example"},
		{input: "xn--a.example", reason: "Punycode"}, // which is not valid
		{input: "https://Example.com/", reason: "not a URL", suggestion: "example.com"},
		{input: "https://example.com:8443/v1/providers", reason: "not a URL", suggestion: "example.com:8443"},
		{input: "example.com/acme", reason: "not a URL", suggestion: "example.com"},
		{input: "https://user:secret@example.com", reason: "not a URL"},
		{input: "https://", reason: "not a URL"},
	}
	for _, test := range tests {
		_, err := hostname.Parse(test.input)
		var refused *hostname.Error
		if !errors.As(err, &refused) {
			t.Errorf("Parse(%q): got error %v, want a *hostname.Error", test.input, err)
			continue
		}
		if !strings.Contains(refused.Reason, test.reason) || refused.Suggestion != test.suggestion {
			t.Errorf("Parse(%q): got %+v, want reason %q, suggestion %q", test.input, *refused, test.reason, test.suggestion)
		}
	}
}

func TestErrorNamesTheSuggestion(t *testing.T) {
	t.Parallel()
	_, err := hostname.Parse("https://example.com/")
	if want := `a host name is wanted, not a URL or a path; did you mean "example.com"?`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestToUnicodeDecodesPunycode(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"example.com":                "example.com",
		"xn--bcher-kva.example":      "bücher.example",
		"xn--bcher-kva.example:8443": "bücher.example:8443",
	} {
		if got, err := hostname.ToUnicode(input); err != nil || got != want {
			t.Errorf("ToUnicode(%q) = %q, %v, want %q", input, got, err, want)
		}
	}
	var refused *hostname.Error
	if _, err := hostname.ToUnicode("xn--a"); !errors.As(err, &refused) {
		t.Errorf("ToUnicode of invalid Punycode: got error %v, want a *hostname.Error", err)
	}
}

// Normal forms are stable, can be path elements, and have one ASCII form each.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"example.com", "Bücher.example:8443", "xn--bcher-kva", "XN--a", "a..b", "．．", "straße", "[::1]", "a:0080",
		"https://example.com/x", "ﬁ", "\u00ad", "ẞ", "a\u200db", "１２７.0.0.1", "\xff", "אב.com", "½",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := hostname.Parse(s)
		if err != nil {
			return
		}
		if again, err := hostname.Parse(name.Unicode); err != nil || again != name {
			t.Errorf("Parse(%q) = %+v, of which again %+v, %v", s, name, again, err)
		}
		if name.Unicode == "." || name.Unicode == ".." || strings.ContainsAny(name.Unicode, "/\\\x00 ") {
			t.Errorf("Parse(%q) = %+v, which is no path element", s, name)
		}
		for _, r := range name.ASCII {
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-.:", r) {
				t.Errorf("Parse(%q) = %+v, with %q in its ASCII form", s, name, r)
			}
		}
	})
}
