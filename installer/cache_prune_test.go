package installer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources"
)

func (s stock) prune(options installer.CachePrune) *installer.CachePruned {
	s.Helper()
	pruned, err := s.cache().Prune(s.Context(), options)
	if err != nil {
		s.Fatal(err)
	}
	return pruned
}

// locksOf name versions, without hashes.
func locksOf(pairs ...string) installer.Locks {
	locks := installer.Locks{}
	for pair := range slices.Chunk(pairs, 2) {
		locks[provider(pair[0])] = installer.Lock{Version: version(pair[1])}
	}
	return locks
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestPruneRemovesWhatHasToGo(t *testing.T) {
	t.Parallel()
	// Of 100 bytes each; alpha is 1 day old, beta 10, gamma 20, delta 30, fresh ten minutes.
	for name, test := range map[string]struct {
		options installer.CachePrune
		removed []string
	}{
		"nothing":               {installer.CachePrune{}, nil},
		"old":                   {installer.CachePrune{OlderThan: 15 * day}, []string{"acme/delta 1.0.0", "acme/gamma 1.0.0"}},
		"large":                 {installer.CachePrune{MaxBytes: 250}, []string{"acme/delta 1.0.0", "acme/gamma 1.0.0", "acme/beta 1.0.0"}},
		"just right":            {installer.CachePrune{MaxBytes: 500}, nil},
		"old or large":          {installer.CachePrune{OlderThan: 25 * day, MaxBytes: 300}, []string{"acme/delta 1.0.0", "acme/gamma 1.0.0"}},
		"old, and small enough": {installer.CachePrune{OlderThan: 25 * day, MaxBytes: 400}, []string{"acme/delta 1.0.0"}},
		"kept":                  {installer.CachePrune{OlderThan: 5 * day, Keep: []installer.Locks{locksOf("acme/alpha", "1.0.0"), locksOf("acme/delta", "1.0.0", "acme/beta", "2.0.0")}}, []string{"acme/gamma 1.0.0", "acme/beta 1.0.0"}},
		"kept, and too large":   {installer.CachePrune{MaxBytes: 1, Keep: []installer.Locks{locksOf("acme/gamma", "1.0.0", "acme/alpha", "1.0.0")}}, []string{"acme/delta 1.0.0", "acme/beta 1.0.0"}},
		"all but the fresh":     {installer.CachePrune{OlderThan: 1}, []string{"acme/delta 1.0.0", "acme/gamma 1.0.0", "acme/beta 1.0.0", "acme/alpha 1.0.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStock(t)
			for address, age := range map[string]time.Duration{"alpha": day, "beta": 10 * day, "gamma": 20 * day, "delta": 30 * day, "fresh": 10 * time.Minute} {
				s.put("acme/"+address, "1.0.0", 100, age)
			}
			all, before := s.list(), contents(t, s.dir)
			dry := test.options
			dry.DryRun = true
			would := s.prune(dry)
			if after := contents(t, s.dir); !slices.Equal(before, after) {
				t.Errorf("a dry run changed the cache from\n%v to\n%v", before, after)
			}
			did := s.prune(test.options)
			for _, pruned := range []*installer.CachePruned{would, did} {
				if got := names(pruned.Removed); !slices.Equal(got, append([]string{}, test.removed...)) {
					t.Errorf("removed %v, want %v", got, test.removed)
				}
				if freed := int64(100 * len(test.removed)); pruned.Bytes != freed || pruned.Left != 500-freed || len(pruned.Spared) != 0 {
					t.Errorf("result is %+v", pruned)
				}
			}
			left := s.list()
			if len(left) != len(all)-len(test.removed) {
				t.Errorf("left are %v", names(left))
			}
			for _, e := range did.Removed {
				if isThere(e.Path) || slices.ContainsFunc(left, func(l installer.CacheEntry) bool { return l.Path == e.Path }) {
					t.Errorf("%s is still there", e.Path)
				}
			}
			s.wantNoLeftovers()
		})
	}
}

func (s stock) wantNoLeftovers() {
	s.Helper()
	left, err := filepath.Glob(filepath.Join(s.dir, "*", "*", "*", "*", ".staging-*"))
	if err != nil || len(left) != 0 {
		s.Errorf("left over: %v (%v)", left, err)
	}
}

func TestPruneRefusesNonsense(t *testing.T) {
	t.Parallel()
	for field, options := range map[string]installer.CachePrune{
		"CachePrune.OlderThan": {OlderThan: -1},
		"CachePrune.MaxBytes":  {MaxBytes: -1},
	} {
		var wrong *sources.FieldError
		if _, err := newStock(t).cache().Prune(t.Context(), options); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: error is %v", field, err)
		}
	}
}

// Whoever holds the lock is left alone, and the lock file stays when the package goes: others may be waiting for it.
func TestPruneTakesTheLock(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	path := s.put("acme/alpha", "1.0.0", 100, 30*day)
	held, err := filelock.Lock(t.Context(), path+".lock", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.age(path+".lock", 30*day)
	pruned := s.prune(installer.CachePrune{OlderThan: day})
	if got := names(pruned.Spared); len(got) != 1 || len(pruned.Removed) != 0 || !isThere(path) || pruned.Left != 100 {
		t.Errorf("result is %+v", pruned)
	}
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	if pruned := s.prune(installer.CachePrune{OlderThan: day}); len(pruned.Removed) != 1 || isThere(path) || !isThere(path+".lock") {
		t.Errorf("result is %+v", pruned)
	}
}

// A pruned package is installed again when it is needed, and the records about it are gone.
func TestWhatWasPrunedIsInstalledAgain(t *testing.T) {
	t.Parallel()
	f, req, pkg, c := remembered(t)
	s := stock{t, c.Dir}
	s.age(pkg.Stored, 30*day)
	s.age(pkg.Stored+".lock", 30*day)
	records := func() int {
		entries, err := os.ReadDir(c.RecordDir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if n := records(); n != 1 {
		t.Fatalf("%d records", n)
	}
	if pruned, err := c.Prune(t.Context(), installer.CachePrune{OlderThan: day}); err != nil || len(pruned.Removed) != 1 {
		t.Fatalf("result is %+v, %v", pruned, err)
	}
	if n := records(); n != 0 {
		t.Errorf("%d records are left", n)
	}
	f.srv.ResetRequests()
	again := f.install(req).Packages[0]
	if again.Downloaded == 0 || !isThere(filepath.Join(pkg.Stored, filepath.Base(again.Executable))) {
		t.Errorf("the package was not brought again: %+v", again)
	}
}

// Copies and hard links do not need the cache.
func TestPruningLeavesCopiesAlone(t *testing.T) {
	t.Parallel()
	for _, link := range []installer.Link{installer.LinkHardlink, installer.LinkReflink, installer.LinkCopy} {
		f, req, pkg := installed(t)
		f.in.Dir, f.in.Link = t.TempDir(), link
		f.install(req)
		s := stock{t, f.in.CacheDir}
		s.age(pkg.Stored, 30*day)
		s.age(pkg.Stored+".lock", 30*day)
		if pruned := s.prune(installer.CachePrune{OlderThan: day}); len(pruned.Removed) != 1 {
			t.Fatalf("result is %+v", pruned)
		}
		f.srv.ResetRequests()
		f.install(req)
		f.wantRequests(0)
	}
}

func TestPruneTouchesNothingForeign(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	s.hostile()
	path := filepath.Join(s.dir, filepath.FromSlash(host), "acme", "alpha", "1.0.0")
	outside, err := filepath.EvalSymlinks(filepath.Join(path, "linux_arm64"))
	if err != nil {
		t.Fatal(err)
	}
	s.age(filepath.Join(path, "windows_amd64"), 30*day)
	s.age(filepath.Join(path, "linux_amd64"), 30*day)
	before, beforeOutside := contents(t, s.dir), contents(t, outside)
	pruned := s.prune(installer.CachePrune{OlderThan: day, MaxBytes: 1})
	if got := len(pruned.Removed); got != 2 {
		t.Errorf("removed %v, want the two directories", pruned.Removed)
	}
	if after := contents(t, outside); !slices.Equal(beforeOutside, after) {
		t.Errorf("what links lead to was changed from\n%v to\n%v", beforeOutside, after)
	}
	gone := len(before) - len(contents(t, s.dir))
	if want := 3 + 2 - 2; gone != want { // two packages with three and two entries, and two lock files that came
		t.Errorf("%d entries are gone, want %d", gone, want)
	}
}

// Leftovers are cleared under the lock, with packages and without, by whoever prunes next.
func TestPruneClearsLeftovers(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	version := filepath.Dir(s.put("acme/alpha", "1.0.0", 100, time.Minute))
	for _, name := range []string{".staging-linux-amd64", ".staging-darwin-arm64"} {
		if err := os.MkdirAll(filepath.Join(version, name, "123", "pruned", "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	held, err := filelock.Lock(t.Context(), filepath.Join(version, "darwin_arm64.lock"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.prune(installer.CachePrune{DryRun: true})
	for _, name := range []string{".staging-linux-amd64", ".staging-darwin-arm64"} {
		if !isThere(filepath.Join(version, name)) {
			t.Errorf("a dry run removed %s", name)
		}
	}
	s.prune(installer.CachePrune{})
	if isThere(filepath.Join(version, ".staging-linux-amd64")) || !isThere(filepath.Join(version, ".staging-darwin-arm64")) {
		t.Error("want the one gone, and the other, which is being worked in, still there")
	}
	if err := held.Unlock(); err != nil {
		t.Fatal(err)
	}
	s.prune(installer.CachePrune{})
	s.wantNoLeftovers()
}

// A package without write permission is removed all the same.
func TestPruneRemovesReadOnlyPackages(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	path := s.put("acme/alpha", "1.0.0", 100, 30*day)
	deep := filepath.Join(path, "deep")
	if err := errors.Join(os.Mkdir(deep, 0o755), os.WriteFile(filepath.Join(deep, "file"), nil, 0o444), os.Chmod(deep, 0o555), os.Chmod(path, 0o555)); err != nil {
		t.Fatal(err)
	}
	s.age(path, 30*day)
	if pruned := s.prune(installer.CachePrune{OlderThan: day}); len(pruned.Removed) != 1 || isThere(path) {
		t.Errorf("result is %+v", pruned)
	}
	s.wantNoLeftovers()
}

func TestPruneOfAReadOnlyCacheFails(t *testing.T) {
	t.Parallel()
	if os.Geteuid() <= 0 {
		t.Skip("not tested: the superuser writes anywhere, and on Windows nobody is kept from it like this")
	}
	s := newStock(t)
	path := s.put("acme/alpha", "1.0.0", 100, 30*day)
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) })
	pruned, err := s.cache().Prune(t.Context(), installer.CachePrune{OlderThan: day})
	if !errors.Is(err, fs.ErrPermission) || len(pruned.Removed) != 0 || pruned.Left != 100 || !isThere(path) {
		t.Errorf("result is %+v, %v", pruned, err)
	}
}

// A link in the place of a package is what terraform makes to unpacked mirrors. It stays, and so does what it leads to.
func TestPruneLeavesLinks(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	path := s.put("acme/alpha", "1.0.0", 100, 30*day)
	link := filepath.Join(filepath.Dir(path), sources.Platform{OS: "darwin", Arch: "arm64"}.String())
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	pruned := s.prune(installer.CachePrune{OlderThan: 1, Keep: []installer.Locks{locksOf("acme/alpha", "1.0.0")}})
	if len(pruned.Removed) != 0 || !isThere(link) || pruned.Left != 100 {
		t.Errorf("result is %+v", pruned)
	}
}
