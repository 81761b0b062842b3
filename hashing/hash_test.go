package hashing_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
)

// The h1 of a package without files.
const emptyH1 = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

var zeros = strings.Repeat("0", 64)

func TestParseHash(t *testing.T) {
	t.Parallel()
	upper := strings.Repeat("AB", 32)
	for _, test := range []struct {
		name, text, want string
	}{
		{"h1", emptyH1, emptyH1},
		{"zh", "zh:" + zeros, "zh:" + zeros},
		{"upper-case digits are folded", "zh:" + upper, "zh:" + strings.ToLower(upper)},
		{"an unknown scheme is kept", "h2:anything: at all", "h2:anything: at all"},
		{"an unknown scheme may be empty", "x:", "x:"},
		{"schemes are case-sensitive", "ZH:" + upper, "ZH:" + upper},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := hashing.ParseHash(test.text)
			if err != nil || got.String() != test.want {
				t.Errorf("ParseHash(%q) = %q, %v; want %q", test.text, got, err, test.want)
			}
		})
	}
}

func TestParseHashRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  "",
		"no scheme":                zeros,
		"an empty scheme":          ":" + zeros,
		"zh too short":             "zh:" + zeros[1:],
		"zh too long":              "zh:" + zeros + "0",
		"zh of other digits":       "zh:" + zeros[1:] + "g",
		"h1 empty":                 "h1:",
		"h1 of 31 bytes":           "h1:" + strings.Repeat("A", 41) + "A==",
		"h1 of 33 bytes":           "h1:" + strings.Repeat("A", 44),
		"h1 without padding":       strings.TrimSuffix(emptyH1, "="),
		"h1 with a line break":     strings.Replace(emptyH1, "/", "/\n", 1),
		"h1 in URL alphabet":       strings.ReplaceAll(emptyH1, "/", "_"),
		"h1 with stray final bits": strings.Replace(emptyH1, "U=", "V=", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := hashing.ParseHash(text)
			var syntax *hashing.SyntaxError
			if !errors.As(err, &syntax) || syntax.Text != text || got != "" {
				t.Errorf("ParseHash(%q) = %q, %v; want a *SyntaxError", text, got, err)
			}
		})
	}
}

func TestHashParts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		hash          hashing.Hash
		scheme, value string
		known         bool
	}{
		{"h1:abc=", "h1", "abc=", true},
		{"zh:00", "zh", "00", true},
		{"h2:a:b", "h2", "a:b", false},
		{"", "", "", false},
		{"nothing", "", "", false},
	} {
		if test.hash.Scheme() != test.scheme || test.hash.Value() != test.value || test.hash.Known() != test.known {
			t.Errorf("%q: scheme %q, value %q, known %v", test.hash, test.hash.Scheme(), test.hash.Value(), test.hash.Known())
		}
	}
}

func TestHashAsJSON(t *testing.T) {
	t.Parallel()
	in := map[string][]hashing.Hash{"hashes": {emptyH1, hashing.ZH(sha256.Sum256(nil)), "x:y"}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string][]hashing.Hash
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	for i, h := range out["hashes"] {
		if h != in["hashes"][i] {
			t.Errorf("hash %d came back as %q, want %q", i, h, in["hashes"][i])
		}
	}
	var syntax *hashing.SyntaxError
	if err := json.Unmarshal([]byte(`{"hashes": ["zh:1"]}`), &out); !errors.As(err, &syntax) {
		t.Errorf("a malformed hash gave %v, want a *SyntaxError", err)
	}
}

func FuzzParseHash(f *testing.F) {
	for _, seed := range []string{"", ":", "h1:", "zh:" + zeros, "zh:" + strings.Repeat("F", 64), emptyH1, "x:y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := hashing.ParseHash(text)
		if err != nil {
			return
		}
		if again, err := hashing.ParseHash(h.String()); err != nil || again != h {
			t.Errorf("%q became %q, which reads as %q, %v", text, h, again, err)
		}
		if h.Scheme()+":"+h.Value() != h.String() {
			t.Errorf("%q does not consist of its parts", h)
		}
		if h.Known() && !strings.EqualFold(h.String(), text) {
			t.Errorf("%q became %q", text, h)
		}
	})
}
