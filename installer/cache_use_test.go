package installer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// mtime returns the time of modification.
func mtime(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// Whichever way a cached package is used, its lock file tells, and the package itself is not touched.
func TestInstallingMarksUse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fresh bool // a project that has nothing yet
		link  installer.Link
		marks bool
	}{
		"linked":            {fresh: true, marks: true},
		"copied":            {fresh: true, link: installer.LinkCopy, marks: true},
		"linked long since": {marks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, req, pkg := installed(t)
			s, lock := stock{t, f.in.CacheDir}, pkg.Stored+".lock"
			s.age(lock, 30*day)
			s.age(pkg.Stored, 30*day)
			before := mtime(t, pkg.Stored)
			if f.in.Link = test.link; test.fresh {
				f.in.Dir = t.TempDir()
			}
			f.install(req)
			if age := time.Since(mtime(t, lock)); (age < time.Minute) != test.marks {
				t.Errorf("after the installation the mark of use is %s old", age)
			}
			if !mtime(t, pkg.Stored).Equal(before) {
				t.Error("the package was touched")
			}
			if used := s.list()[0].Used; time.Since(used) > time.Minute {
				t.Errorf("last used %s", used)
			}
		})
	}
}

// A project that has a copy does not need the cache's.
func TestAProjectsOwnCopyIsNoUseOfTheCache(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir, f.in.Link = t.TempDir(), installer.LinkCopy
	f.install(req)
	stock{t, f.in.CacheDir}.age(pkg.Stored+".lock", 30*day)
	f.install(req)
	if age := time.Since(mtime(t, pkg.Stored+".lock")); age < day {
		t.Errorf("the mark of use is %s old", age)
	}
}

// Marks are renewed rarely, and those from the future at once.
func TestMarksAreRenewedRarely(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	s, lock := stock{t, f.in.CacheDir}, pkg.Stored+".lock"
	for _, test := range []struct {
		age     time.Duration
		renewed bool
	}{{5 * time.Minute, false}, {11 * time.Minute, true}, {-time.Hour, true}} {
		s.age(lock, test.age)
		before := mtime(t, lock)
		f.install(req)
		if renewed := !mtime(t, lock).Equal(before); renewed != test.renewed {
			t.Errorf("a mark that is %s old: renewed %v", test.age, renewed)
		}
	}
}

// terraform makes no lock files.
func TestPackagesWithoutALockFileAreMarked(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir = t.TempDir()
	if err := os.Remove(pkg.Stored + ".lock"); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	if age := time.Since(mtime(t, pkg.Stored+".lock")); age > time.Minute {
		t.Errorf("the mark of use is %s old", age)
	}
}

// What stands in the place of the lock file may be anything. It is neither followed nor harmed.
func TestMarksFollowNoLinks(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	target := t.TempDir()
	stock{t, f.in.CacheDir}.age(target, 30*day)
	before := mtime(t, target)
	lock := pkg.Stored + ".lock"
	if err := errors.Join(os.Remove(lock), os.Symlink(target, lock)); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	info, err := os.Lstat(lock)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || !mtime(t, target).Equal(before) {
		t.Errorf("the link is %v (%v), its target was touched: %v", info, err, !mtime(t, target).Equal(before))
	}
}

// A package that disappears between being found and being linked, because somebody pruned the cache who could not see the
// mark, is brought again. Whoever is reading its directory just then sees an empty one.
func TestAPackageThatDisappearsIsBroughtAgain(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(pkg installer.Package) error{
		"gone": func(pkg installer.Package) error { return os.RemoveAll(pkg.Stored) },
		"emptied": func(pkg installer.Package) error {
			return os.Remove(filepath.Join(pkg.Stored, filepath.Base(pkg.Executable)))
		},
	} {
		for _, link := range []installer.Link{installer.LinkAuto, installer.LinkHardlink, installer.LinkCopy} {
			f, req, pkg := installed(t)
			f.in.Dir, f.in.Link = t.TempDir(), link
			hits := 0
			f.in.Notify = f.then(func(e installer.Event) {
				if e.Kind != installer.EventCacheHit {
					return
				}
				if hits++; hits == 1 {
					if err := disturb(pkg); err != nil {
						t.Error(err)
					}
				}
			})
			again := f.install(req).Packages[0]
			if tree, err := hashing.Dir(t.Context(), again.Dir); err != nil || tree != pkg.Proof.Computed.Tree {
				t.Errorf("%s, %s: installed is %s (%v)", name, link, tree, err)
			}
			if hits != 1 || f.srv.Count(registrytest.KindArchive) == 0 {
				t.Errorf("%s, %s: %d hits: this test did not disturb anything", name, link, hits)
			}
		}
	}
}

// What tofu brings while it is waited for has no mark, and may look old: its directory was made when the download began.
func TestAPackageThatOthersBroughtIsMarked(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir = t.TempDir()
	hidden, lock := pkg.Stored+".hidden", pkg.Stored+".lock"
	if err := os.Rename(pkg.Stored, hidden); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.Lock(t.Context(), lock, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.in.Notify = f.then(func(e installer.Event) {
		if e.Kind != installer.EventWaiting {
			return
		}
		stock{t, f.in.CacheDir}.age(lock, day)
		if err := errors.Join(os.Rename(hidden, pkg.Stored), held.Unlock()); err != nil {
			t.Error(err)
		}
	})
	f.install(req)
	if age := time.Since(mtime(t, lock)); age > time.Minute {
		t.Errorf("the mark of use is %s old", age)
	}
}
