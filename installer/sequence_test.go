package installer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/filelock"
)

// chose is what comes before a package's events.
func chose(kinds ...installer.EventKind) []installer.EventKind {
	return append([]installer.EventKind{installer.EventResolving, installer.EventResolved}, kinds...)
}

// on makes something happen at the first event of a kind.
func (f *fixture) on(kind installer.EventKind, do func(installer.Event)) {
	happened := false
	notify := f.in.Notify
	f.in.Notify = func(e installer.Event) {
		notify(e)
		if e.Kind == kind && !happened {
			happened = true
			do(e)
		}
	}
}

// A package that its source has unpacked is only verified. What a loose policy lets pass is not passed over in silence.
func TestEventsOfUnpackedPackages(t *testing.T) {
	t.Parallel()
	f := setup(t)
	pkg, tree := unpackedAlpha(t)
	f.in.Source = oneSource{pkg}
	req := require("acme/alpha", "")
	f.install(req)
	f.wantKinds(chose(installer.EventVerified, installer.EventInstalled)...)
	if _, err := f.lock(req, nil); err != nil {
		t.Fatal(err)
	}
	f.wantKinds(chose(installer.EventVerified, installer.EventLocked)...)

	f.in.Dir, f.in.Policy.AllowUnverifiableInsecure = t.TempDir(), true
	req.Locks = installer.Locks{provider("acme/alpha"): {Version: version("1.0.0"), Hashes: []hashing.Hash{archiveHash}}}
	var warning string
	f.on(installer.EventWarning, func(e installer.Event) { warning = e.Message })
	f.install(req)
	f.wantKinds(chose(installer.EventWarning, installer.EventVerified, installer.EventInstalled)...)
	for _, part := range []string{"AllowUnverifiableInsecure", pkg.Content.Dir, string(tree), string(archiveHash)} {
		if !strings.Contains(warning, part) {
			t.Errorf("the warning says nothing of %s: %s", part, warning)
		}
	}
	req.Locks = nil
	f.in.Dir = t.TempDir()
	f.install(req) // nothing is let pass that passes anyway
	f.wantKinds(chose(installer.EventVerified, installer.EventInstalled)...)
}

// Without a cache, what another installation has brought while it was waited for is present.
func TestEventsOfWaitingWithoutACache(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.CacheDir = ""
	req := require("acme/alpha", "")
	result := f.install(req)
	f.kinds()
	req.Locks = result.Locks
	dir := result.Packages[0].Dir
	held, err := filelock.Lock(t.Context(), dir+".lock", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".hidden"); err != nil {
		t.Fatal(err)
	}
	f.on(installer.EventWaiting, func(e installer.Event) {
		if err := errors.Join(os.Rename(dir+".hidden", dir), held.Unlock()); err != nil || e.Path != dir {
			t.Errorf("waiting for %s, %v", e.Path, err)
		}
	})
	f.install(req)
	f.wantKinds(chose(installer.EventWaiting, installer.EventPresent)...)
}

// The place in Dir has a lock of its own.
func TestEventsOfWaitingForTheProject(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	if err := os.Remove(pkg.Dir); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.Lock(t.Context(), pkg.Dir+".lock", nil)
	if err != nil {
		t.Fatal(err)
	}
	f.on(installer.EventWaiting, func(e installer.Event) {
		if err := held.Unlock(); err != nil || e.Path != pkg.Dir {
			t.Errorf("waiting for %s, %v", e.Path, err)
		}
	})
	f.install(req)
	f.wantKinds(chose(installer.EventCacheHit, installer.EventWaiting, installer.EventInstalled)...)
}

// When a package is pruned between being found and being linked, everything begins again, and an event says so.
func TestEventsOfAPackageThatDisappears(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir = t.TempDir()
	f.on(installer.EventCacheHit, func(installer.Event) {
		if err := os.RemoveAll(pkg.Stored); err != nil {
			t.Error(err)
		}
	})
	var again installer.Event
	f.on(installer.EventRetrying, func(e installer.Event) { again = e })
	f.install(req)
	f.wantKinds(chose(installer.EventCacheHit, installer.EventRetrying, installer.EventFetching, installer.EventUnpacking,
		installer.EventVerified, installer.EventInstalled)...)
	if again.Path != pkg.Stored || again.Err == nil {
		t.Errorf("the event is %+v, want one about %s", again, pkg.Stored)
	}
}

// It begins again three times. The project's lock is taken so that there is an event when the package is in the cache.
func TestEventsOfAPackageThatDisappearsAlways(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir = t.TempDir()
	relative, err := filepath.Rel(f.in.CacheDir, pkg.Stored)
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(f.in.Dir, relative) + ".lock"
	held, err := filelock.Lock(t.Context(), lock, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.in.Notify = f.then(func(e installer.Event) {
		var err error
		switch e.Kind {
		case installer.EventWaiting:
			err = errors.Join(os.RemoveAll(pkg.Stored), held.Unlock())
		case installer.EventRetrying:
			held, err = filelock.Lock(t.Context(), lock, nil)
		}
		if err != nil {
			t.Error(err)
		}
	})
	if _, err := f.installError(req); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	if got := f.seen["retrying:home"]; got != 3 {
		t.Errorf("it began again %d times", got)
	}
}

// What is wrong in Dir is replaced with an event, what is right and only cannot be proven without one, and so is a link
// that Link does not make.
func TestEventsOfHealingTheProject(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir, f.in.Link = t.TempDir(), installer.LinkCopy
	own := f.install(req).Packages[0]
	f.kinds()
	if err := os.WriteFile(own.Executable, []byte("evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	var healed string
	f.on(installer.EventHealed, func(e installer.Event) { healed = e.Path })
	f.install(req)
	f.wantKinds(chose(installer.EventCacheHit, installer.EventHealed, installer.EventInstalled)...)
	if healed != own.Dir {
		t.Errorf("healed was %q, want %s", healed, own.Dir)
	}

	cached := filepath.Join(pkg.Stored, filepath.Base(pkg.Executable))
	if err := errors.Join(os.WriteFile(own.Executable, []byte("evil"), 0o755), os.WriteFile(cached, []byte("evil"), 0o755)); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	f.wantKinds(chose(installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventHealed,
		installer.EventHealed, installer.EventInstalled)...)

	f.install(require("acme/alpha", ""))
	f.wantKinds(chose(installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventInstalled)...)

	if err := errors.Join(os.RemoveAll(own.Dir), os.Symlink(pkg.Stored, own.Dir)); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	f.wantKinds(chose(installer.EventCacheHit, installer.EventInstalled)...)
}

// Whoever wants copies gets them without a cache, too.
func TestLinksAreReplacedWithoutACache(t *testing.T) {
	t.Parallel()
	for _, link := range []installer.Link{installer.LinkCopy, installer.LinkHardlink, installer.LinkReflink} {
		for name, locked := range map[string]bool{"locked": true, "not locked": false} {
			f, req, pkg := installed(t)
			if !locked {
				req.Locks = nil
			}
			f.in.CacheDir, f.in.Link = "", link
			if info, err := os.Lstat(pkg.Dir); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Fatalf("%s is %v (%v)", pkg.Dir, info, err)
			}
			f.install(req)
			f.wantKinds(chose(installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventInstalled)...)
			if info, err := os.Lstat(pkg.Dir); err != nil || !info.IsDir() {
				t.Errorf("%s, %s: %s is %v (%v)", link, name, pkg.Dir, info, err)
			}
			if tree, err := hashing.Dir(t.Context(), pkg.Stored); err != nil || tree != pkg.Proof.Computed.Tree {
				t.Errorf("%s, %s: the cache has %s (%v)", link, name, tree, err)
			}
		}
	}
}
