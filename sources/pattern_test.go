package sources_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParsePattern() {
	for _, s := range []string{"*/*/*", "registry.example.com/*/*", "acme/*", "*/*"} {
		pattern, err := sources.ParsePattern(s)
		fmt.Println(pattern, err)
	}
	_, err := sources.ParsePattern("*/acme/rocket")
	fmt.Println(err)
	// Output:
	// */*/* <nil>
	// registry.example.com/*/* <nil>
	// registry.opentofu.org/acme/* <nil>
	// registry.opentofu.org/*/* <nil>
	// invalid provider pattern "*/acme/rocket": only wildcards can follow a wildcard: "acme" cannot
}

func ExamplePattern_Matches() {
	pattern, err := sources.ParsePattern("registry.example.com/acme/*")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pattern.Matches(sources.MustParseProvider("registry.example.com/acme/rocket")))
	fmt.Println(pattern.Matches(sources.MustParseProvider("acme/rocket")))
	// Output:
	// true
	// false
}

func TestPatternMatches(t *testing.T) {
	t.Parallel()
	tests := []struct{ pattern, matches, others string }{
		{"*/*/*", "aws acme/rocket h.example/acme/rocket", ""},
		{"*/*", "aws acme/rocket", "h.example/acme/rocket"},
		{"acme/*", "acme/rocket acme/sled", "aws h.example/acme/rocket"},
		{"Acme/Rocket", "acme/rocket", "acme/sled other/rocket h.example/acme/rocket"},
		{"h.example/*/*", "h.example/acme/rocket h.example/a/b", "acme/rocket h.example:8443/a/b"},
		{"H.example:443/acme/*", "h.example/acme/rocket", "acme/rocket h.example/other/rocket"},
		{"h.example/acme/rocket", "h.example/acme/rocket", "h.example/acme/sled acme/rocket"},
		{"Bücher.example/*/*", "bücher.example/acme/rocket", "acme/rocket"},
	}
	for _, test := range tests {
		pattern, err := sources.ParsePattern(test.pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, p := range strings.Fields(test.matches) {
			if !pattern.Matches(sources.MustParseProvider(p)) {
				t.Errorf("%q does not match %s", test.pattern, p)
			}
		}
		for _, p := range strings.Fields(test.others) {
			if pattern.Matches(sources.MustParseProvider(p)) {
				t.Errorf("%q matches %s", test.pattern, p)
			}
		}
	}
}

func TestPatternInAnotherRegistry(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"*/*":           "registry.terraform.io/*/*",
		"acme/*":        "registry.terraform.io/acme/*",
		"*/*/*":         "*/*/*",
		"h.example/a/b": "h.example/a/b",
	} {
		if got, err := sources.ParsePatternIn(sources.TerraformRegistry, input); err != nil || got.String() != want {
			t.Errorf("ParsePatternIn(%q) = %q, %v, want %q", input, got, err, want)
		}
	}
}

func TestZeroPatternMatchesNothing(t *testing.T) {
	t.Parallel()
	var zero sources.Pattern
	if zero.Matches(sources.MustParseProvider("aws")) || zero.Matches(sources.Provider{}) || zero.String() != "" {
		t.Errorf("the zero value %q matches", zero)
	}
	everything, err := sources.ParsePattern("*/*/*")
	if err != nil || everything.Matches(sources.Provider{}) {
		t.Errorf("*/*/* matches the zero provider, or is invalid: %v", err)
	}
}

func TestParsePatternRefuses(t *testing.T) {
	t.Parallel()
	for input, reason := range map[string]string{
		"":                          "the form",
		"*":                         "the form",
		"aws":                       "the form",
		"a/b/c/d":                   "the form",
		"*/rocket":                  `"rocket" cannot`,
		"*/acme/*":                  `"acme" cannot`,
		"*/*/rocket":                `"rocket" cannot`,
		"h.example/*/rocket":        `"rocket" cannot`,
		"acme/aws*":                 "invalid type: only letters",
		"ac*/aws":                   "invalid namespace: only letters",
		"*.example/*/*":             "invalid host name",
		"/*/*":                      "invalid host name",
		"acme/":                     "invalid type: it is empty",
		"../*":                      "invalid namespace: dots",
		"xn--bcher-kva.example/*/*": "bücher.example",
	} {
		pattern, err := sources.ParsePattern(input)
		var refused *sources.PatternError
		if !errors.As(err, &refused) || refused.Input != input || !strings.Contains(refused.Reason, reason) {
			t.Errorf("ParsePattern(%q): got error %v, want %q", input, err, reason)
		}
		if pattern != (sources.Pattern{}) {
			t.Errorf("ParsePattern(%q) = %q besides its error", input, pattern)
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"*/*/*", "*/*", "acme/*", "h.example:80/a/b", "*/a", "．．/*", "a/b/c/d", "Bücher.example/*/*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pattern, err := sources.ParsePattern(s)
		if err != nil {
			return
		}
		if again, err := sources.ParsePattern(pattern.String()); err != nil || again != pattern {
			t.Errorf("ParsePattern(%q) = %q, of which again %q, %v", s, pattern, again, err)
		}
		if p, err := sources.ParseProvider(s); err == nil && !pattern.Matches(p) {
			t.Errorf("the pattern %q does not match the provider of the same name", s)
		}
	})
}
