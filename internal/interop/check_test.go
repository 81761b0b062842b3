package interop_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// checkPackages checks that the module's directory of providers, and the cache if there is one, have all that the
// module's lock file records, undamaged.
func checkPackages(t *testing.T, m *module, cache string) {
	t.Helper()
	dirs := []string{filepath.Join(m.dir, ".terraform", "providers")}
	if cache != "" {
		dirs = append(dirs, cache)
	}
	for p, lock := range m.locks(t) {
		for _, dir := range dirs {
			place := filepath.Join(dir, filepath.FromSlash(sources.PackagePath(p, lock.Version, sources.CurrentPlatform())))
			tree, err := hashing.Dir(t.Context(), place)
			if err != nil {
				t.Errorf("%s: %v", p, err)
			} else if !slices.Contains(lock.Hashes, tree) {
				t.Errorf("%s: the package has %s, which is not in the lock file", place, tree)
			}
		}
	}
}

// checkTidy checks that no staging directory is left.
func checkTidy(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".staging-") {
			t.Errorf("%s is still there", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
