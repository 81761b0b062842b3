package sources_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParseHost() {
	host, err := sources.ParseHost("Bücher.Example:0443")
	fmt.Println(host, host.ASCII(), err)
	_, err = sources.ParseHost("https://registry.example.com/")
	fmt.Println(err)
	// Output:
	// bücher.example xn--bcher-kva.example <nil>
	// invalid host name "https://registry.example.com/": a host name is wanted, not a URL or a path; did you mean "registry.example.com"?
}

func TestHostsOfOneNameAreEqual(t *testing.T) {
	t.Parallel()
	want := sources.MustParseHost("bücher.example")
	for _, spelling := range []string{
		"Bücher.example", "BÜCHER.EXAMPLE", "bu\u0308cher.example", "bücher.example:443", "ｂücher。example",
	} {
		if got := sources.MustParseHost(spelling); got != want {
			t.Errorf("%q is %q, want %q", spelling, got, want)
		}
	}
	for _, other := range []string{"bucher.example", "bücher.example:8443", "bücher.example."} {
		if sources.MustParseHost(other) == want {
			t.Errorf("%q equals %q", other, want)
		}
	}
}

func TestKnownRegistries(t *testing.T) {
	t.Parallel()
	if got := sources.OpenTofuRegistry.String(); got != "registry.opentofu.org" {
		t.Errorf("OpenTofuRegistry is %q", got)
	}
	if got := sources.TerraformRegistry.String(); got != "registry.terraform.io" {
		t.Errorf("TerraformRegistry is %q", got)
	}
	if sources.DefaultRegistry != sources.OpenTofuRegistry {
		t.Errorf("DefaultRegistry is %q", sources.DefaultRegistry)
	}
}

func TestHostOrderIsThatOfASCIIForms(t *testing.T) {
	t.Parallel()
	hosts := []sources.Host{
		sources.MustParseHost("zebra.example"), sources.MustParseHost("ärger.example"), sources.MustParseHost("apple.example"),
	}
	slices.SortFunc(hosts, sources.Host.Compare)
	if got := fmt.Sprint(hosts); got != "[apple.example ärger.example zebra.example]" { // xn--rger-koa
		t.Errorf("sorted: %s", got)
	}
}

func TestZeroHostIsNone(t *testing.T) {
	t.Parallel()
	var zero sources.Host
	if !zero.IsZero() || zero.String() != "" || zero.ASCII() != "" {
		t.Errorf("the zero value is %q, %q", zero, zero.ASCII())
	}
	if sources.OpenTofuRegistry.IsZero() {
		t.Error("a parsed host is zero")
	}
}

func TestParseHostRefuses(t *testing.T) {
	t.Parallel()
	for input, reason := range map[string]string{
		"":                      "empty",
		"a..b":                  "between two dots",
		"..":                    "between two dots",
		"a_b.example":           "letters, digits",
		"xn--bcher-kva.example": `did you mean "bücher.example"?`,
		"XN--bcher-kva.example": `did you mean "bücher.example"?`,
		"example.com:-1":        "the port must be a number from 1 to 65535",
		"example.com:0":         "the port must be a number from 1 to 65535",
		"example.com:65536":     "the port must be a number from 1 to 65535",
		"[::1]":                 "IPv6",
	} {
		_, err := sources.ParseHost(input)
		var refused *sources.HostError
		if !errors.As(err, &refused) || refused.Input != input || !strings.Contains(err.Error(), reason) {
			t.Errorf("ParseHost(%q): got error %v, want %q", input, err, reason)
		}
	}
}

func TestMustParsePanicsForProgrammers(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(){
		"MustParseHost":        func() { sources.MustParseHost("") },
		"MustParseProvider":    func() { sources.MustParseProvider("") },
		"MustParseVersion":     func() { sources.MustParseVersion("") },
		"MustParseConstraints": func() { sources.MustParseConstraints(",") },
	} {
		func() {
			defer func() {
				if _, isError := recover().(error); !isError {
					t.Errorf("%s did not panic with an error", name)
				}
			}()
			call()
		}()
	}
}

func FuzzParseHost(f *testing.F) {
	for _, seed := range []string{"example.com", "Bücher.example:8443", "xn--bcher-kva", "a..b", "．．", "straße", "[::1]", "a:0080"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, err := sources.ParseHost(s)
		if err != nil {
			var refused *sources.HostError
			if !errors.As(err, &refused) || !host.IsZero() {
				t.Errorf("ParseHost(%q) = %q, %T", s, host, err)
			}
			return
		}
		if again, err := sources.ParseHost(host.String()); err != nil || again != host {
			t.Errorf("ParseHost(%q) = %q, of which again %q, %v", s, host, again, err)
		}
	})
}
