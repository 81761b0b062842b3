package installer_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Should two installations ever work on one entry at once, because somebody deleted the lock file, the one must not
// publish what the other unpacks.
func TestALostLockDoesNotPublishTheOthersBytes(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := require("acme/alpha", "")
	evil := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Executable: []byte("evil")})
	evil.in.Dir, evil.in.CacheDir = f.in.Dir, f.in.CacheDir
	evil.fault(registrytest.Fault{Kind: registrytest.KindSums, StallAt: -1}) // its package is unpacked and never judged

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	unpacking := make(chan struct{})
	evil.in.Notify = evil.then(func(e installer.Event) {
		if e.Kind == installer.EventUnpacking {
			close(unpacking)
		}
	})
	f.in.Notify = f.then(func(e installer.Event) {
		if e.Kind != installer.EventVerified {
			return
		}
		locks, err := filepath.Glob(filepath.Join(f.in.CacheDir, "*", "*", "*", "*", "*.lock"))
		if err != nil || len(locks) != 1 {
			t.Errorf("locks are %v, %v", locks, err)
			return
		}
		if err := os.Remove(locks[0]); err != nil {
			t.Error(err)
		}
		go func() {
			defer close(done)
			_, _ = evil.in.Install(ctx, req)
		}()
		<-unpacking
	})
	result, err := f.in.Install(t.Context(), req)
	if err != nil {
		return // failing is as good
	}
	pkg := result.Packages[0]
	if tree, err := hashing.Dir(t.Context(), pkg.Dir); err != nil || tree != pkg.Proof.Computed.Tree {
		t.Errorf("published is %s (%v), verified was %s", tree, err, pkg.Proof.Computed.Tree)
	}
}

// Directories without write permission, as some package managers make them, are replaced all the same.
func TestAReadOnlyEntryIsReplaced(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	if err := os.WriteFile(pkg.Executable, []byte("damaged"), 0o755); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(pkg.Stored, "deep")
	if err := errors.Join(os.Mkdir(deep, 0o755), os.WriteFile(filepath.Join(deep, "file"), nil, 0o444)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(deep, 0o555), os.Chmod(pkg.Stored, 0o555)); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(pkg.Stored), ".staging-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v was left (%v)", left, err)
	}
}

func TestAnInstalledLinkIsReplacedWhereCopiesAreWanted(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Link = installer.LinkCopy
	f.install(req)
	if info, err := os.Lstat(pkg.Dir); err != nil || info.Mode()&fs.ModeSymlink != 0 {
		t.Errorf("%s is %v (%v), want a directory", pkg.Dir, info, err)
	}
	f.wantRequests(0)
}

func TestAProvenPackageNeedsNoLock(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	f.in.Dir = t.TempDir()
	held, err := filelock.Lock(t.Context(), pkg.Stored+".lock", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Unlock()
	f.install(req)
	if kinds := f.kinds(); slices.Contains(kinds, installer.EventWaiting) {
		t.Errorf("a proven package's lock was waited for: %v", kinds)
	}
}

func TestAReadOnlyCacheServes(t *testing.T) {
	t.Parallel()
	if os.Geteuid() <= 0 {
		t.Skip("not tested: the superuser writes anywhere, and on Windows nobody is kept from it like this")
	}
	f, req, pkg := installed(t)
	f.in.Dir = t.TempDir()
	if err := os.Remove(pkg.Stored + ".lock"); err != nil {
		t.Fatal(err)
	}
	parent := filepath.Dir(pkg.Stored)
	if err := os.Chmod(parent, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(parent, 0o755) })
	f.install(req)
	f.wantRequests(0)
}

// Paths are made of platforms, so those that no parser made are refused.
func TestPlatformsFromOutsideAreChecked(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.Platform.OS, f.in.Platform.Arch = "../../../escaped", "x"
	var field *sources.FieldError
	if _, err := f.installError(require("acme/alpha", "")); !errors.As(err, &field) || field.Field != "Installer.Platform" {
		t.Errorf("error is %v", err)
	}
	f.in.Platform.OS, f.in.Platform.Arch = "", ""
	on := fourPlatforms[0]
	on.Arch = "../.."
	if _, err := f.in.Lock(t.Context(), require("acme/alpha", ""), append(slices.Clone(fourPlatforms), on)); !errors.As(err, &field) {
		t.Errorf("error is %v", err)
	}
}

// What cannot be asked for is told apart by its type.
func TestGetRefuses(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var field *sources.FieldError
	if _, err := f.in.Get(t.Context(), "terraform.io/builtin/terraform", ""); !errors.As(err, &field) || field.Field != "address" || !strings.Contains(err.Error(), "built into") {
		t.Errorf("a built-in provider: %v", err)
	}
	var address *sources.AddressError
	if _, err := f.in.Get(t.Context(), "acme/alpha/beta/gamma", ""); !errors.As(err, &address) {
		t.Errorf("no address: %v", err)
	}
	var host *sources.HostError
	if _, err := f.in.Get(t.Context(), "registry.example.com:none/acme/alpha", ""); !errors.As(err, &host) {
		t.Errorf("no host: %v", err)
	}
	var constraint *sources.ConstraintError
	if _, err := f.in.Get(t.Context(), "acme/alpha", "=> 1"); !errors.As(err, &constraint) {
		t.Errorf("no constraint: %v", err)
	}
}
