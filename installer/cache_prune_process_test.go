package installer_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

var pruneAll = installer.CachePrune{OlderThan: day}

// ageAll makes all packages look as if nobody had used them for a month. Lock files that are not there stay away.
func (s stock) ageAll() {
	s.Helper()
	for _, e := range s.list() {
		s.age(e.Path, 30*day)
		if isThere(e.Path + ".lock") {
			s.age(e.Path+".lock", 30*day)
		}
	}
}

// watch reads the packages again and again until stopped: they are whole, or not there.
func (s stock) watch(want map[string]hashing.Hash) (stop func()) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			for path, tree := range want {
				if got, err := hashing.Dir(s.Context(), path); err == nil && got != tree {
					s.Errorf("half a package was seen in %s", path)
				}
			}
		}
	})
	return func() { close(done); wait.Wait() }
}

// Whatever a pruning and installations do at the same time, what was installed is there in the end, and no
// installation fails. Some rounds are of a cache that has no lock files, as terraform leaves it.
func TestPruneBesideInstallers(t *testing.T) {
	t.Parallel()
	rounds := 80
	if raceDetector {
		rounds = 20
	}
	f, req, pkg := installed(t)
	s := stock{t, f.in.CacheDir}
	stop := s.watch(map[string]hashing.Hash{pkg.Stored: pkg.Proof.Computed.Tree})
	defer stop()
	removed := 0
	for round := range rounds {
		if s.ageAll(); round%3 == 0 {
			_ = os.Remove(pkg.Stored + ".lock")
		}
		var wait sync.WaitGroup
		for i := range 4 {
			in := f.installer(t.TempDir(), s.dir)
			in.Link = []installer.Link{installer.LinkAuto, installer.LinkCopy, installer.LinkHardlink, installer.LinkAuto}[i]
			wait.Go(func() {
				time.Sleep(rand.N(2 * time.Millisecond))
				f.wantInstalled(in, req, pkg)
			})
		}
		time.Sleep(rand.N(2 * time.Millisecond))
		removed += len(s.prune(pruneAll).Removed)
		wait.Wait()
		s.prune(installer.CachePrune{}) // what is left where somebody else had the lock
		s.wantNoLeftovers()
	}
	if removed == 0 || removed == rounds {
		t.Errorf("the package was removed in %d of %d rounds: this test meets only one order of events", removed, rounds)
	}
}

// wantInstalled installs and checks that the package is whole.
func (f *fixture) wantInstalled(in *installer.Installer, req installer.Request, want installer.Package) {
	f.Helper()
	result, err := in.Install(f.Context(), req)
	if err != nil {
		f.Error(err)
		return
	}
	if tree, err := hashing.Dir(f.Context(), result.Packages[0].Dir); err != nil || tree != want.Proof.Computed.Tree {
		f.Errorf("installed is %s (%v), want %s", tree, err, want.Proof.Computed.Tree)
	}
}

// The same with eight processes that install, and one that prunes.
func TestPruneBesideProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many processes")
	}
	t.Parallel()
	rounds := 12
	if raceDetector {
		rounds = 2
	}
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 2 << 20}, release("acme/beta", "1.0.0"))
	req := require("acme/alpha", "", "acme/beta", "")
	result := f.install(req)
	req.Locks = result.Locks
	s, want := stock{t, f.in.CacheDir}, map[string]hashing.Hash{}
	for _, pkg := range result.Packages {
		want[pkg.Stored] = pkg.Proof.Computed.Tree
	}
	defer s.watch(want)()
	f.srv.ResetRequests()
	for round := range rounds {
		s.ageAll()
		var dirs []string
		var wait sync.WaitGroup
		for i := range 9 {
			o := f.order(req)
			o.Dir = t.TempDir()
			if o.Link = installer.LinkAuto; i%2 == 1 {
				o.Link = installer.LinkCopy
			}
			if i == round%9 {
				o.Prune = &pruneAll
			} else {
				dirs = append(dirs, o.Dir)
				time.Sleep(rand.N(5 * time.Millisecond))
			}
			cmd := o.child(t)
			wait.Go(func() {
				if err := cmd.Run(); err != nil {
					t.Errorf("a process failed: %v", err)
				}
			})
		}
		wait.Wait()
		for _, dir := range dirs {
			for stored, tree := range want {
				path, err := filepath.Rel(s.dir, stored)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := hashing.Dir(t.Context(), filepath.Join(dir, path)); err != nil || got != tree {
					t.Errorf("installed is %s (%v), want %s", got, err, tree)
				}
			}
		}
	}
	if n := f.srv.Count(registrytest.KindArchive); n == 0 && !raceDetector {
		t.Errorf("nothing was ever pruned before it was used: this test meets only one order of events")
	}
}

// Wherever a pruning is killed, each package is whole or gone, and the next pruning clears what is left.
func TestKillPruneAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many processes")
	}
	t.Parallel()
	moments, packages := 12, 30
	if raceDetector {
		moments = 3
	}
	midway := 0
	var whole time.Duration
	for i := range moments + 1 {
		s := newStock(t)
		trees := map[string]hashing.Hash{}
		for n := range packages {
			path := s.manyFiles(fmt.Sprintf("1.%d.0", n), 30)
			tree, err := hashing.Dir(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			trees[path] = tree
		}
		o := order{CacheDir: s.dir, Prune: &pruneAll}
		if i == 0 { // undisturbed
			started := time.Now()
			if err := o.child(t).Run(); err != nil {
				t.Fatal(err)
			}
			whole = time.Since(started)
		} else {
			kill(t, o.child(t), rand.N(whole))
		}
		left := 0
		for path, tree := range trees {
			got, err := hashing.Dir(t.Context(), path)
			if err == nil {
				left++
			}
			if err == nil && got != tree || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after kill %d, %s is %s (%v), want %s", i, path, got, err, tree)
			}
		}
		if 0 < left && left < packages {
			midway++
		}
		if s.prune(pruneAll); len(s.list()) != 0 {
			t.Errorf("after kill %d, these are left: %v", i, names(s.list()))
		}
		s.wantNoLeftovers()
	}
	if midway == 0 && !raceDetector {
		t.Errorf("none of %d kills came midway", moments)
	}
}

// manyFiles makes an old package of so many files.
func (s stock) manyFiles(version string, files int) string {
	s.Helper()
	path := s.put("acme/alpha", version, 1000, 30*day)
	for i := range files {
		if err := os.WriteFile(filepath.Join(path, fmt.Sprint(i)), []byte(version), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	s.age(path, 30*day)
	return path
}
