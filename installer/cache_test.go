package installer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// installed sets up a project and a cache with one locked provider.
func installed(t *testing.T) (*fixture, installer.Request, installer.Package) {
	t.Helper()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := require("acme/alpha", "")
	result := f.install(req)
	req.Locks = result.Locks
	f.srv.ResetRequests()
	f.kinds()
	return f, req, result.Packages[0]
}

func TestDamageIsFoundAndHealed(t *testing.T) {
	t.Parallel()
	flip := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data[len(data)/2] ^= 1
		return os.WriteFile(path, data, 0o755)
	}
	damages := map[string]func(installer.Package) error{
		"one byte flipped": func(p installer.Package) error { return flip(p.Executable) },
		"truncated":        func(p installer.Package) error { return os.Truncate(p.Executable, 10) },
		"file missing":     func(p installer.Package) error { return os.Remove(p.Executable) },
		"file added":       func(p installer.Package) error { return os.WriteFile(filepath.Join(p.Dir, "more"), nil, 0o644) },
		"not executable":   func(p installer.Package) error { return os.Chmod(p.Executable, 0o644) },
		"directory is a file": func(p installer.Package) error {
			return errors.Join(os.RemoveAll(p.Stored), os.WriteFile(p.Stored, nil, 0o644))
		},
		"empty directory": func(p installer.Package) error { return errors.Join(os.RemoveAll(p.Stored), os.Mkdir(p.Stored, 0o755)) },
		"link to nowhere": func(p installer.Package) error {
			return errors.Join(os.RemoveAll(p.Stored), os.Symlink("nowhere", p.Stored))
		},
		"symlink to a loop": func(p installer.Package) error {
			return errors.Join(os.RemoveAll(p.Stored), os.Symlink(p.Stored, p.Stored))
		},
		"executable is a dir": func(p installer.Package) error {
			return errors.Join(os.Remove(p.Executable), os.Mkdir(p.Executable, 0o755))
		},
		"cache emptied":         func(p installer.Package) error { return os.RemoveAll(p.Stored) },
		"unreadable executable": func(p installer.Package) error { return os.Chmod(p.Executable, 0) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, req, pkg := installed(t)
			if err := damage(pkg); err != nil {
				t.Fatal(err)
			}
			again := f.install(req).Packages[0]
			tree, err := hashing.Dir(t.Context(), again.Dir)
			if err != nil || tree != pkg.Proof.Computed.Tree {
				t.Errorf("after healing the tree is %s (%v), want %s", tree, err, pkg.Proof.Computed.Tree)
			}
			if kinds := f.kinds(); name != "cache emptied" && !slices.Contains(kinds, installer.EventHealed) {
				t.Errorf("events are %v, want one about healing", kinds)
			}
			f.in.Dir = t.TempDir()
			f.srv.ResetRequests()
			f.install(req)
			f.wantRequests(0)
		})
	}
}

// A damaged package is replaced in a project without a cache, too.
func TestDamageInTheProjectIsHealed(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.CacheDir = ""
	req := require("acme/alpha", "")
	result := f.install(req)
	req.Locks = result.Locks
	if err := os.WriteFile(result.Packages[0].Executable, []byte("evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	again := f.install(req).Packages[0]
	if tree, _ := hashing.Dir(t.Context(), again.Dir); tree != again.Proof.Computed.Tree {
		t.Error("the damage stayed")
	}
}

// What stands in the project's directory does not matter: a package of its own, a link to elsewhere.
func TestTheProjectIsRelinked(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	for _, occupy := range []func() error{
		func() error { return os.MkdirAll(filepath.Join(pkg.Dir, "dir"), 0o755) },
		func() error { return os.Symlink(t.TempDir(), pkg.Dir) },
		func() error { return os.WriteFile(pkg.Dir, []byte("file"), 0o644) },
	} {
		if err := errors.Join(os.RemoveAll(pkg.Dir), occupy()); err != nil {
			t.Fatal(err)
		}
		again := f.install(req).Packages[0]
		if target, err := os.Readlink(again.Dir); err != nil || target != pkg.Stored {
			t.Errorf("%s links to %s (%v)", again.Dir, target, err)
		}
	}
	f.wantRequests(0)
}

func TestWaysOfLinking(t *testing.T) {
	t.Parallel()
	tests := map[installer.Link]func(cached, own fs.FileInfo) bool{
		installer.LinkHardlink: os.SameFile,
		installer.LinkReflink:  func(cached, own fs.FileInfo) bool { return !os.SameFile(cached, own) },
		installer.LinkCopy:     func(cached, own fs.FileInfo) bool { return !os.SameFile(cached, own) },
	}
	for link, want := range tests {
		t.Run(link.String(), func(t *testing.T) {
			t.Parallel()
			f, req, _ := installed(t)
			f.in.Dir, f.in.Link = t.TempDir(), link
			pkg := f.install(req).Packages[0]
			own, err := os.Lstat(pkg.Executable)
			if err != nil || own.Mode() != 0o755 {
				t.Fatalf("%v, %v", own, err)
			}
			cached, err := os.Lstat(filepath.Join(pkg.Stored, filepath.Base(pkg.Executable)))
			if err != nil || !want(cached, own) {
				t.Errorf("the executable is the wrong kind of copy (%v)", err)
			}
			if info, err := os.Lstat(pkg.Dir); err != nil || !info.IsDir() {
				t.Errorf("%s is %v (%v)", pkg.Dir, info, err)
			}
			f.srv.ResetRequests()
			f.kinds()
			f.install(req)
			f.wantKinds(installer.EventResolving, installer.EventResolved, installer.EventPresent)
		})
	}
}

// Whoever holds an entry's lock, tofu for example, is waited for, and what it has brought is used.
func TestTheLockIsWaitedForAndTheResultUsed(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	hidden := pkg.Stored + ".hidden"
	if err := os.Rename(pkg.Stored, hidden); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.Lock(t.Context(), pkg.Stored+".lock", nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	f.in.Notify = f.then(func(e installer.Event) {
		if e.Kind == installer.EventWaiting {
			close(waiting)
		}
	})
	done := make(chan error, 1)
	go func() {
		_, err := f.in.Install(t.Context(), req)
		done <- err
	}()
	select {
	case <-waiting:
	case err := <-done:
		t.Fatalf("the lock was not waited for (%v)", err)
	}
	if err := errors.Join(os.Rename(hidden, pkg.Stored), held.Unlock()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	f.wantRequests(0)
}

func TestManyInstallersInOneProcess(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	if err := os.RemoveAll(pkg.Stored); err != nil {
		t.Fatal(err)
	}
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Delay: 100 * time.Millisecond})
	var wait sync.WaitGroup
	for range 16 {
		in := f.installer(t.TempDir(), f.in.CacheDir)
		wait.Go(func() {
			if _, err := in.Install(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := f.srv.Count(registrytest.KindArchive); n != 1 {
		t.Errorf("the archive was fetched %d times", n)
	}
}

// What a killed installation leaves in the staging directory is cleared, whatever it is.
func TestLeftoversAreCleared(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	staging := filepath.Join(filepath.Dir(pkg.Stored), ".staging-"+f.platform())
	if err := errors.Join(
		os.RemoveAll(pkg.Stored),
		os.MkdirAll(filepath.Join(staging, "package"), 0o700),
		os.WriteFile(filepath.Join(staging, "archive.zip"), []byte("half"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	if _, err := os.Lstat(staging); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the staging directory is still there (%v)", err)
	}
}

// platform is this machine's as it stands in the names of staging directories.
func (f *fixture) platform() string {
	on := f.install(require("acme/alpha", "")).Packages[0].Platform
	return on.OS + "-" + on.Arch
}
