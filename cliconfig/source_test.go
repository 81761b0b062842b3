package cliconfig_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The whole way: the configuration that points a real client at a registry makes a source that lists what is there, with
// the token.
func TestDirectSource(t *testing.T) {
	t.Parallel()
	registry := registrytest.New(t, registrytest.Config{
		Token:    "s3cr3t",
		Releases: []registrytest.Release{{Provider: "registry.example.com/acme/rocket", Version: "1.2.3"}},
	})
	config := parse(t, registry.CLIConfig()+"\nregistry_protocols {\n  retry_count = 0\n}\n")
	chain, err := config.Source(cliconfig.SourceOptions{Client: registry.Client()})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := chain.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/rocket"))
	if err != nil || len(listing.Versions) != 1 || listing.Versions[0].Version.String() != "1.2.3" {
		t.Errorf("%v, %v", listing, err)
	}
	_, err = chain.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/other"))
	if !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("want absence: %v", err)
	}
}

func TestRetriesOfTheConfiguration(t *testing.T) {
	t.Parallel()
	registry := registrytest.New(t, registrytest.Config{
		Releases: []registrytest.Release{{Provider: "registry.example.com/acme/rocket", Version: "1.2.3"}},
		Faults:   []registrytest.Fault{{Kind: "versions", Status: 503}},
	})
	config := parse(t, registry.CLIConfig()+"\nregistry_protocols {\n  retry_count = 0\n}\n")
	chain, err := config.Source(cliconfig.SourceOptions{Client: registry.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/rocket")); !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("want an outage: %v", err)
	}
	if n := registry.Count("versions"); n != 1 {
		t.Errorf("%d attempts with retry_count = 0", n)
	}
}

func TestRulesOfTheChain(t *testing.T) {
	t.Parallel()
	config := parse(t, "provider_installation {\n  direct {\n    include = [\"acme/*\"]\n    exclude = [\"acme/rocket\"]\n  }\n  direct {}\n}")
	chain, err := config.Source(cliconfig.SourceOptions{})
	if err != nil || len(chain) != 2 {
		t.Fatal(chain, err)
	}
	for provider, want := range map[string][]bool{"acme/anvil": {true, true}, "acme/rocket": {false, true}, "example.com/acme/anvil": {false, true}} {
		p := sources.MustParseProvider(provider)
		if got := []bool{chain[0].Matches(p), chain[1].Matches(p)}; !slices.Equal(got, want) {
			t.Errorf("%s: %v", provider, got)
		}
	}
}

func TestNoMethodsMeansNoProviders(t *testing.T) {
	t.Parallel()
	chain, err := parse(t, "provider_installation {}").Source(cliconfig.SourceOptions{})
	if err != nil || len(chain) != 0 {
		t.Fatal(chain, err)
	}
	if _, err := chain.Versions(t.Context(), sources.MustParseProvider("acme/rocket")); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("want absence: %v", err)
	}
}

func TestErrorsLeaveNoSource(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"}", "provider_installation {\n  direct {}\n  foo {}\n}", "host \"a b\" {}"} {
		config, _ := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{})
		chain, err := config.Source(cliconfig.SourceOptions{})
		var failed *cliconfig.Error
		if chain != nil || !errors.As(err, &failed) || !strings.Contains(err.Error(), "rc:") {
			t.Errorf("%q: %v, %v", src, chain, err)
		}
	}
}

// A method that this program cannot build stops it; it is never skipped.
func TestUnsupportedMethods(t *testing.T) {
	t.Parallel()
	table := cliconfig.Methods()
	for i := range table {
		if table[i].Name == "network_mirror" {
			table[i].Build = nil
		}
	}
	src := "provider_installation {\n  network_mirror {\n    url = \"https://x/\"\n  }\n  direct {}\n}"
	config, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{Methods: table})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	chain, err := config.Source(cliconfig.SourceOptions{})
	var failed *cliconfig.MethodError
	if chain != nil || !errors.Is(err, cliconfig.ErrUnsupported) || !errors.As(err, &failed) {
		t.Fatalf("%v, %v", chain, err)
	}
	if failed.Method != "network_mirror" || failed.Range.Start.Line != 2 || !strings.Contains(err.Error(), "rc:2") {
		t.Errorf("%v", err)
	}
}

// bucket is the location of a method that a caller adds.
type bucket struct {
	Name    string
	Region  *int
	Tags    []string
	Include []sources.Pattern
}

func TestMethodsOfACaller(t *testing.T) {
	t.Parallel()
	var built []cliconfig.Location
	table := append(cliconfig.Methods(), cliconfig.MethodType{
		Name: "bucket",
		Decode: func(b *cliconfig.Block) cliconfig.Location {
			if b.Has("forbidden") {
				b.Fail("forbidden", "Forbidden argument", "It is forbidden.")
			}
			b.Warn("name", "Deprecated method", "Use %s instead.", "direct")
			return bucket{Name: b.RequiredString("name"), Region: b.Int("region"), Tags: b.Strings("tags"), Include: b.Include}
		},
		Build: func(location cliconfig.Location, _ *cliconfig.Config, opts cliconfig.SourceOptions) (sources.Source, error) {
			built = append(built, location)
			if opts.Credentials == nil {
				t.Error("no credentials")
			}
			return sources.Chain{}, nil
		},
	})
	options := cliconfig.Options{Methods: table, Registry: sources.TerraformRegistry}
	src := "provider_installation {\n  bucket {\n    name    = \"b\"\n    region  = 7\n    include = [\"acme/*\"]\n    colour  = \"red\"\n  }\n}"
	config, diags := cliconfig.Parse([]byte(src), "rc", options)
	if diags.HasErrors() || !hasWarning(diags, `no argument "colour"`) || !hasWarning(diags, "Use direct instead") {
		t.Fatal(diags)
	}
	if _, err := config.Source(cliconfig.SourceOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := built[0].(bucket); got.Name != "b" || *got.Region != 7 || got.Tags != nil || got.Include[0].String() != "registry.terraform.io/acme/*" {
		t.Errorf("built %+v", built)
	}
	_, diags = cliconfig.Parse([]byte("provider_installation {\n  bucket {\n    name = \"b\"\n    forbidden = 1\n  }\n}"), "rc", options)
	if !diags.HasErrors() || diags[0].Subject.Start.Line != 4 {
		t.Errorf("want the method's own error: %v", diags)
	}
	if _, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{}); !diags.HasErrors() {
		t.Error("the method is known to others")
	}
}
