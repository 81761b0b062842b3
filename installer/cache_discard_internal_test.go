package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// oldEntry is a package that was last used an hour ago, with its lock file.
func oldEntry(t *testing.T) (e entry, used time.Time) {
	t.Helper()
	on := sources.Platform{OS: "linux", Arch: "amd64"}
	e = newEntry(t.TempDir(), sources.MustParseProvider("acme/alpha"), sources.MustParseVersion("1.0.0"), on)
	used = time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := errors.Join(
		os.MkdirAll(e.path, 0o755),
		os.WriteFile(filepath.Join(e.path, "terraform-provider-alpha"), []byte("alpha"), 0o755),
		os.Chtimes(e.path, used, used),
	); err != nil {
		t.Fatal(err)
	}
	e.makeLock(used)
	return e, used
}

func isGone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// A mark that comes between the last look at it and the moving of the package brings the package back, whole.
func TestAPackageThatWasUsedWhileItWasMovedIsPutBack(t *testing.T) {
	t.Parallel()
	e, used := oldEntry(t)
	e.markUsed()
	aside, err := e.setAside()
	if err != nil || !isGone(e.path) {
		t.Fatalf("the package was not moved (%v)", err)
	}
	if err := e.dropUnlessUsed(aside, used); !errors.Is(err, errInUse) {
		t.Errorf("error is %v, want errInUse", err)
	}
	if text, err := os.ReadFile(filepath.Join(e.path, "terraform-provider-alpha")); err != nil || string(text) != "alpha" {
		t.Errorf("the package is not whole: %q, %v", text, err)
	}
	if !isGone(e.staging) {
		t.Error("something is left in the staging place")
	}
}

// What somebody who takes no locks has brought meanwhile stays.
func TestNothingIsPutBackOverAnother(t *testing.T) {
	t.Parallel()
	e, used := oldEntry(t)
	e.markUsed()
	other := filepath.Join(e.path, "other")
	aside, err := e.setAside()
	if err := errors.Join(err, os.Mkdir(e.path, 0o755), os.WriteFile(other, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := e.dropUnlessUsed(aside, used); !errors.Is(err, errInUse) || isGone(other) {
		t.Errorf("error is %v; is the other package gone: %v", err, isGone(other))
	}
}

func TestAPackageThatNobodyUsesIsNotPutBack(t *testing.T) {
	t.Parallel()
	e, used := oldEntry(t)
	aside, err := e.setAside()
	if err := errors.Join(err, e.dropUnlessUsed(aside, used)); err != nil || !isGone(e.path) {
		t.Errorf("the package was put back (%v)", err)
	}
}

// Of a package without a lock file, a pruning makes one with an old time, perhaps just when a mark is due.
func TestMakingALockHidesNoMark(t *testing.T) {
	t.Parallel()
	e, used := oldEntry(t)
	for range 500 {
		if err := os.Remove(e.lock); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		wait.Go(func() { e.makeLock(used) })
		wait.Go(e.markUsed)
		wait.Wait()
		if !e.mark().After(used) {
			t.Fatal("the package was marked as used, and does not look so")
		}
	}
}
