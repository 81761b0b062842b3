package interop_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

// litter leaves what a process of ours leaves in a directory of packages when it is killed in the middle of a
// download: a lock file that nobody holds any more, and a staging directory with a part of the archive.
func litter(t *testing.T, dir string) {
	t.Helper()
	here := sources.CurrentPlatform()
	place := filepath.Join(dir, filepath.FromSlash(sources.PackagePath(
		sources.MustParseProvider(rocket), sources.MustParseVersion("1.2.3"), here)))
	staging := filepath.Join(filepath.Dir(place), ".staging-"+here.OS+"-"+here.Arch)
	for name, content := range map[string]string{
		place + ".lock":                                          "",
		filepath.Join(staging, "archive.zip"):                    "PK\x03\x04 and no more",
		filepath.Join(staging, "package", "terraform-provider-"): "half a provider",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOurLeftoversDoNotDisturb(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		for name, where := range map[string]func(m *module) string{
			"in the module": func(m *module) string { return filepath.Join(m.dir, ".terraform", "providers") },
			"in the cache":  func(m *module) string { return m.cache },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				cache := t.TempDir()
				theirs := twoProviders(t, c).module(t, twoRequired).sharing(cache)
				litter(t, where(theirs))
				theirs.run(t, "init")
				checkPackages(t, theirs, cache)

				ours := theirs.module(t, twoRequired).sharing(t.TempDir())
				litter(t, where(ours))
				ours.install(t)
				checkPackages(t, ours, ours.cache)
				checkTidy(t, ours.cache)
				checkTidy(t, filepath.Join(ours.dir, ".terraform", "providers"))
			})
		}
	})
}
