package interop_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
)

// A lock file binds those who install from an OCI registry, whatever kind of hashes it has.
func TestLockFilesJudgeOCIRegistries(t *testing.T) {
	t.Parallel()
	w := publishedRocket(t, "1.0.0")
	first := w.module(t, files{"main.tf": requires(rocket)})
	w.useMirrors(t, first)
	lock := first.locks(t)[sources.MustParseProvider(rocket)]
	for name, test := range map[string]struct {
		hashes  []hashing.Hash
		refused bool
	}{
		"only h1":         {hashes: ofScheme(lock.Hashes, "h1")},
		"only zh":         {hashes: ofScheme(lock.Hashes, "zh")},
		"both":            {hashes: lock.Hashes},
		"only h1, wrong":  {hashes: []hashing.Hash{"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}, refused: true},
		"only zh, wrong":  {hashes: []hashing.Hash{"zh:" + hashing.Hash(strings.Repeat("0", 64))}, refused: true},
		"both, but wrong": {hashes: []hashing.Hash{"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "zh:" + hashing.Hash(strings.Repeat("0", 64))}, refused: true},
	} {
		if len(test.hashes) == 0 {
			t.Fatalf("%s: the lock file has only %q", name, lock.Hashes)
		}
		m := w.module(t, files{"main.tf": requires(rocket)}).sharing(t.TempDir())
		locks := maps.Clone(first.locks(t))
		entry := lock
		entry.Hashes = test.hashes
		locks[sources.MustParseProvider(rocket)] = entry
		if err := lockfile.Write(m.lockFile(), locks); err != nil {
			t.Fatal(err)
		}
		w.forget(t)
		result, err := w.tryMirrors(t, m)
		if !test.refused {
			w.checkLocked(t, name, m, result, err)
			continue
		}
		var mismatch *hashing.MismatchError
		if !errors.As(err, &mismatch) || mismatch.By != hashing.ByLock || !slices.Equal(mismatch.Want, test.hashes) {
			t.Errorf("%s: the error is %v", name, err)
		}
		checkNothingInstalled(t, name, m)
	}
}

func ofScheme(hashes []hashing.Hash, scheme string) []hashing.Hash {
	return slices.DeleteFunc(slices.Clone(hashes), func(h hashing.Hash) bool { return h.Scheme() != scheme })
}

// checkLocked checks that the package was downloaded, and accepted on the word of the lock file.
func (w *ociWorld) checkLocked(t *testing.T, name string, m *module, result *installer.Result, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	checkPackages(t, m, m.cache)
	if !result.Packages[0].Proof.Locked {
		t.Errorf("%s: the proof is %+v", name, result.Packages[0].Proof)
	}
	if len(w.oci.successful(t, "GET", "/blobs/")) == 0 {
		t.Errorf("%s: nothing was downloaded", name)
	}
}

func checkNothingInstalled(t *testing.T, name string, m *module) {
	t.Helper()
	for _, dir := range []string{m.cache, filepath.Join(m.dir, ".terraform", "providers")} {
		place := filepath.Join(dir, filepath.FromSlash(sources.PackagePath(sources.MustParseProvider(rocket), sources.MustParseVersion("1.0.0"), sources.CurrentPlatform())))
		if _, err := os.Lstat(place); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is something at %s: %v", name, place, err)
		}
	}
}
