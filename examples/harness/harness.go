// Package harness is what a provider's or a module's tests may want: it fetches providers into a cache that all tests and
// all runs share, starts one by the plugin protocol, and asks it for its schema, without terraform.
//
// It is an example: copy what you need.
package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// Fetcher fetches providers from the sources of the CLI configuration.
type Fetcher struct {
	Source sources.Source // nil: those of the CLI configuration of whoever runs the tests
	Cache  string         // the directory that is shared; "": one in the user's cache directory
}

// Fetch returns the newest version of a provider that meets a constraint. What was fetched and verified before is not
// fetched again.
func (f Fetcher) Fetch(t testing.TB, address, constraint string) *installer.Package {
	t.Helper()
	in, err := f.installer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := in.Get(t.Context(), address, constraint)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s, %s", pkg.Selection.Provider, pkg.Selection.Version, pkg.Proof.Authority)
	return pkg
}

func (f Fetcher) installer(dir string) (in *installer.Installer, err error) {
	if f.Cache == "" {
		if f.Cache, err = os.UserCacheDir(); err != nil {
			return nil, err
		}
		f.Cache = filepath.Join(f.Cache, "provider-harness")
	}
	if f.Source == nil {
		config, _ := cliconfig.Load(cliconfig.OSEnvironment(), cliconfig.Options{})
		if f.Source, err = config.Source(cliconfig.SourceOptions{}); err != nil {
			return nil, err
		}
	}
	return &installer.Installer{
		Source:    f.Source,
		Dir:       dir,
		CacheDir:  f.Cache,
		RecordDir: filepath.Join(f.Cache, ".records"), // what was verified, so that it need not be fetched to be compared
	}, os.MkdirAll(f.Cache, 0o700)
}

// Offline makes terraform and tofu, which the test starts, take their providers from a directory and from nowhere else.
// The tests of terraform-plugin-testing need nothing more: their ExternalProviders come from there.
func Offline(t testing.TB, dir string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "offline.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.ToSlash(dir))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TF_CLI_CONFIG_FILE", config)
}

// Schema starts a provider and returns the names of its resource types.
func Schema(ctx context.Context, executable string) ([]string, error) {
	p, err := start(executable)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	return p.resourceTypes(ctx)
}
