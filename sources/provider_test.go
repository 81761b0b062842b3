package sources_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParseProvider() {
	for _, source := range []string{"aws", "Acme/Rocket", "registry.example.com:8443/acme/rocket"} {
		p, err := sources.ParseProvider(source)
		fmt.Println(p, err)
	}
	_, err := sources.ParseProvider("acme/terraform-provider-rocket")
	fmt.Println(err)
	// Output:
	// registry.opentofu.org/hashicorp/aws <nil>
	// registry.opentofu.org/acme/rocket <nil>
	// registry.example.com:8443/acme/rocket <nil>
	// invalid provider source address "acme/terraform-provider-rocket": a type does not begin with "terraform-"; did you mean "acme/rocket"?
}

func ExampleParseProviderIn() {
	p, err := sources.ParseProviderIn(sources.TerraformRegistry, "hashicorp/aws")
	fmt.Println(p, err)
	// Output: registry.terraform.io/hashicorp/aws <nil>
}

func ExampleProvider_Display() {
	fmt.Println(sources.MustParseProvider("aws").Display())
	fmt.Println(sources.MustParseProvider("registry.terraform.io/hashicorp/aws").Display())
	// Output:
	// hashicorp/aws
	// registry.terraform.io/hashicorp/aws
}

func TestParseProvider(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"aws":                           "registry.opentofu.org/hashicorp/aws",
		"terraform":                     "registry.opentofu.org/hashicorp/terraform",
		"hashicorp/aws":                 "registry.opentofu.org/hashicorp/aws",
		"HashiCorp/AWS":                 "registry.opentofu.org/hashicorp/aws",
		"ｈａｓｈｉｃｏｒｐ/ａｗｓ":                 "registry.opentofu.org/hashicorp/aws",
		"acme/google-beta":              "registry.opentofu.org/acme/google-beta",
		"acme/terraformer":              "registry.opentofu.org/acme/terraformer",
		"straße/ﬁle":                    "registry.opentofu.org/straße/file",
		"Bücher.example:443/acme/x":     "bücher.example/acme/x",
		"registry.example.com:80/a/b":   "registry.example.com:80/a/b",
		"127.0.0.1:8443/acme/rocket":    "127.0.0.1:8443/acme/rocket",
		"terraform.io/builtin/whatever": "terraform.io/builtin/whatever",
	} {
		if got, err := sources.ParseProvider(input); err != nil || got.String() != want {
			t.Errorf("ParseProvider(%q) = %q, %v, want %q", input, got, err, want)
		}
	}
}

func TestProviderParts(t *testing.T) {
	t.Parallel()
	p := sources.MustParseProvider("Bücher.example/Acme/Rocket")
	if p.Host() != sources.MustParseHost("bücher.example") || p.Namespace() != "acme" || p.Type() != "rocket" {
		t.Errorf("parts: %q, %q, %q", p.Host(), p.Namespace(), p.Type())
	}
}

func TestParseProviderRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ input, reason, suggestion string }{
		{input: "", reason: "the form"},
		{input: "/", reason: "namespace"},
		{input: "acme/", reason: "type: it is empty"},
		{input: "/rocket", reason: "namespace: it is empty"},
		{input: "//x", reason: "host name is empty"},
		{input: "a/b/c/d", reason: "the form"},
		{input: "acme/roc.ket", reason: "type: dots"},
		{input: "../rocket", reason: "namespace: dots"},
		{input: "．．/rocket", reason: "namespace: dots"}, // full-width dots must not become ".."
		{input: "registry.example.com/．．/．．", reason: "namespace: dots"},
		{input: "../a/b", reason: "between two dots"},
		{input: "a_b/rocket", reason: "only letters"},
		{input: "acme/ro--cket", reason: "two dashes"},
		{input: "acme/-rocket", reason: "beginning or end"},
		{input: "acme/*", reason: "only letters"},
		{input: "?/rocket", reason: "only letters"},
		{input: "xn--bcher-kva.example/a/b", reason: `did you mean "bücher.example"?`},
		{input: "-/aws", reason: "legacy", suggestion: "hashicorp/aws"},
		{input: "registry.opentofu.org/-/aws", reason: "legacy", suggestion: "registry.opentofu.org/hashicorp/aws"},
		{input: "terraform-provider-foo", reason: `"terraform-"`, suggestion: "foo"},
		{input: "acme/terraform-provider-foo", reason: `"terraform-"`, suggestion: "acme/foo"},
		{input: "h.example/acme/opentofu-provider-foo", reason: `"opentofu-"`, suggestion: "h.example/acme/foo"},
		{input: "acme/Terraform-foo", reason: `"terraform-"`},
		{input: "acme/opentofu-foo", reason: `"opentofu-"`},
		{input: " acme/rocket", reason: "only letters", suggestion: "acme/rocket"},
		{
			input: "https://h.example/acme/foo/", reason: "the form", suggestion: "h.example/acme/foo",
		},
		{
			input:  "https://registry.terraform.io/providers/hashicorp/aws/latest",
			reason: "the form", suggestion: "registry.terraform.io/hashicorp/aws",
		},
		{
			input:  "https://github.com/acme/terraform-provider-rocket",
			reason: "the form", suggestion: "acme/rocket",
		},
		{input: "github.com/acme/terraform-provider-rocket", reason: `"terraform-"`, suggestion: "acme/rocket"},
	}
	for _, test := range tests {
		p, err := sources.ParseProvider(test.input)
		var refused *sources.AddressError
		if !errors.As(err, &refused) || !p.IsZero() {
			t.Errorf("ParseProvider(%q) = %q, %v, want an *AddressError", test.input, p, err)
			continue
		}
		if refused.Input != test.input || refused.Suggestion != test.suggestion ||
			!strings.Contains(refused.Reason, test.reason) {
			t.Errorf("ParseProvider(%q): got %+v, want reason %q, suggestion %q",
				test.input, *refused, test.reason, test.suggestion)
		}
	}
}

func TestAddressErrorWrapsThatOfTheHost(t *testing.T) {
	t.Parallel()
	_, err := sources.ParseProvider("example.com:0/acme/rocket")
	var host *sources.HostError
	if !errors.As(err, &host) || host.Input != "example.com:0" {
		t.Errorf("got error %v, want a *HostError for the host", err)
	}
}

func TestParseProviderInAnotherRegistry(t *testing.T) {
	t.Parallel()
	registry := sources.MustParseHost("registry.example.com")
	for input, want := range map[string]string{
		"aws":              "registry.example.com/hashicorp/aws",
		"acme/rocket":      "registry.example.com/acme/rocket",
		"h.example/acme/r": "h.example/acme/r",
	} {
		if got, err := sources.ParseProviderIn(registry, input); err != nil || got.String() != want {
			t.Errorf("ParseProviderIn(%q, %q) = %q, %v, want %q", registry, input, got, err, want)
		}
	}
	if got, err := sources.ParseProviderIn(sources.Host{}, "aws"); err != nil || got != sources.MustParseProvider("aws") {
		t.Errorf("in the zero host: got %q, %v, want the default registry", got, err)
	}
}

func TestBuiltIn(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		"terraform.io/builtin/terraform": true,
		"opentofu.org/builtin/anything":  true,
		"builtin/terraform":              false,
		"terraform":                      false,
		"terraform.io/acme/terraform":    false,
	} {
		if got := sources.MustParseProvider(input).BuiltIn(); got != want {
			t.Errorf("%q: BuiltIn is %t, want %t", input, got, want)
		}
	}
}

func TestProviderOrder(t *testing.T) {
	t.Parallel()
	want := []string{
		"apple.example/a/b", "registry.opentofu.org/a/z", "registry.opentofu.org/b/a", "registry.opentofu.org/b/b",
		"ärger.example/a/a", // xn--rger-koa.example
	}
	var providers []sources.Provider
	for _, s := range slices.Backward(want) {
		providers = append(providers, sources.MustParseProvider(s))
	}
	slices.SortFunc(providers, sources.Provider.Compare)
	if fmt.Sprint(providers) != fmt.Sprint(want) {
		t.Errorf("sorted: %v, want %v", providers, want)
	}
}

func TestProviderAsText(t *testing.T) {
	t.Parallel()
	type document struct {
		Provider sources.Provider
		Missing  sources.Provider
	}
	in := document{Provider: sources.MustParseProvider("acme/rocket")}
	text, err := json.Marshal(in)
	if want := `{"Provider":"registry.opentofu.org/acme/rocket","Missing":""}`; err != nil || string(text) != want {
		t.Fatalf("marshalled: %s, %v, want %s", text, err, want)
	}
	var out document
	if err := json.Unmarshal(text, &out); err != nil || out != in {
		t.Errorf("unmarshalled: %v, %v, want %v", out, err, in)
	}
	var refused *sources.AddressError
	if err := json.Unmarshal([]byte(`{"Provider":"a/b/c/d"}`), &out); !errors.As(err, &refused) {
		t.Errorf("got error %v, want an *AddressError", err)
	}
}

// Addresses are stable and safe in paths; suggestions are valid addresses.
func FuzzParseProvider(f *testing.F) {
	for _, seed := range []string{
		"aws", "hashicorp/aws", "h.example:80/a/b", "-/aws", "．．/．．", "terraform-provider-x", "a/b/c/d",
		"https://github.com/acme/terraform-provider-x", "straße/ﬁle", "x/\u00ad", "//", "://", "a://b://c",
		"https://h/providers/a/b", "terraform-provider-terraform-provider-x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := sources.ParseProvider(s)
		if err != nil {
			checkSuggestion(t, s, err)
			return
		}
		text := p.String()
		if again, err := sources.ParseProvider(text); err != nil || again != p {
			t.Errorf("ParseProvider(%q) = %q, of which again %q, %v", s, p, again, err)
		}
		if path.Clean(text) != text || strings.Count(text, "/") != 2 || strings.ContainsAny(text, "\\ \x00") {
			t.Errorf("ParseProvider(%q) = %q, which is no path of three elements", s, p)
		}
	})
}

func checkSuggestion(t *testing.T, s string, err error) {
	var refused *sources.AddressError
	if !errors.As(err, &refused) {
		t.Fatalf("ParseProvider(%q): got error %T, want an *AddressError", s, err)
	}
	if refused.Suggestion == "" {
		return
	}
	if _, err := sources.ParseProvider(refused.Suggestion); err != nil {
		t.Errorf("ParseProvider(%q) suggests %q: %v", s, refused.Suggestion, err)
	}
}
