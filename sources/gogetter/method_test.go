package gogetter_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// parse reads a block with these lines.
func parse(t *testing.T, mirrors *gogetter.Mirrors, lines string) (*cliconfig.Config, hcl.Diagnostics) {
	t.Helper()
	t.Cleanup(func() {
		if err := mirrors.Close(); err != nil {
			t.Error(err)
		}
	})
	options := cliconfig.Options{Methods: append(cliconfig.Methods(), mirrors.Method())}
	return cliconfig.Parse([]byte("provider_installation {\n  go_getter_mirror {\n"+lines+"\n  }\n}\n"), "terraform.rc", options)
}

func TestABlockIsASource(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	mirrors, parent := new(gogetter.Mirrors), t.TempDir()
	mirrors.Config.Dir = parent
	config, diags := parse(t, mirrors, fmt.Sprintf("address = %q\ntrust_all_hashes = true\ninclude = [\"registry.example.com/*/*\"]", b.s3Address()))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	chain, err := config.Source(cliconfig.SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := chain.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if claims, err := pkg.Claims(t.Context()); err != nil || len(claims.Others) != 1 {
		t.Errorf("claims are %+v, %v; want those of the other platform, too", claims, err)
	}
	if _, err := chain.Versions(t.Context(), sources.MustParseProvider("registry.other.example/acme/rocket")); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("a provider that is not included: %v", err)
	}
	if err := mirrors.Close(); err != nil {
		t.Error(err)
	}
	if left := below(t, parent, "."); len(left) != 0 {
		t.Errorf("left after Close is %v", left)
	}
}

func TestABlockShowsNoSecrets(t *testing.T) {
	t.Parallel()
	config, diags := parse(t, new(gogetter.Mirrors), `address = "https://me:s3cr3t@static.example.com/p?sig=s3cr3t"`)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if text := fmt.Sprintf("%v %+v %#v", config.Methods[0].Location, config.Methods[0].Location, config.Methods[0].Location); strings.Contains(text, "s3cr3t") {
		t.Error(text)
	}
}

func TestBadBlocks(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]struct {
		line int
		says string
	}{
		`include = ["*/*"]`:                              {2, `needs the argument "address"`},
		`address = "./providers"`:                        {3, "absolute"},
		`address = "hg::https://hg.example.com/x"`:       {3, `no mirror of kind "hg"`},
		`address = "http://x.example.com/p?sig=s3cr3t"`:  {2, "use https"},
		`address = "https://u:s3cr3t@x.example.com/p#1"`: {2, "fragment"},
	} {
		config, diags := parse(t, new(gogetter.Mirrors), lines)
		if len(diags) != 1 || diags[0].Subject.Start.Line != want.line || !strings.Contains(diags[0].Detail, want.says) {
			t.Errorf("%s: diagnostics are %v, want one on line %d", lines, diags, want.line)
			continue
		}
		var printed strings.Builder
		if err := cliconfig.WriteDiagnostics(&printed, diags, config.Files); err != nil || strings.Contains(printed.String(), "s3cr3t") {
			t.Errorf("%v\n%s", err, printed.String())
		}
		if _, err := config.Source(cliconfig.SourceOptions{}); err == nil {
			t.Errorf("%s: there is a source all the same", lines)
		}
	}
}

func TestOfAnotherBlock(t *testing.T) {
	t.Parallel()
	_, err := new(gogetter.Mirrors).Method().Build(cliconfig.Direct{}, nil, cliconfig.SourceOptions{})
	if err == nil || !strings.Contains(err.Error(), "gogetter.Mirror") {
		t.Errorf("error is %v", err)
	}
	missing := gogetter.Mirror{Address: sources.Token(filepath.Join("not", "absolute"))}
	if _, err := new(gogetter.Mirrors).Method().Build(missing, nil, cliconfig.SourceOptions{}); !errors.As(err, new(*gogetter.AddressError)) {
		t.Errorf("error is %v, want an AddressError", err)
	}
}
