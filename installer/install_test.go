package installer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestInstallSelectsFetchesVerifiesAndLinks(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/alpha", "1.1.0"), release("acme/alpha", "2.0.0"))
	result := f.install(require("acme/alpha", "~> 1.0"))
	if len(result.Packages) != 1 {
		t.Fatalf("%d packages were installed, want 1", len(result.Packages))
	}
	pkg := result.Packages[0]
	if pkg.Selection.Version != version("1.1.0") || pkg.Selection.Listed != 3 || pkg.Selection.Matching != 2 || pkg.Selection.Newest != version("2.0.0") {
		t.Errorf("selection is %+v", pkg.Selection)
	}
	if pkg.Proof.Authority != hashing.Signed || pkg.Proof.Signer == nil {
		t.Errorf("proof is %+v, want a signature", pkg.Proof)
	}
	if info, err := os.Stat(pkg.Executable); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("executable %s: %v, %v", pkg.Executable, info, err)
	}
	target, err := os.Readlink(pkg.Dir)
	if err != nil || target != pkg.Stored || !strings.HasPrefix(target, f.in.CacheDir) {
		t.Errorf("%s links to %q (%v), want the cache", pkg.Dir, target, err)
	}
	tree, err := hashing.Dir(t.Context(), pkg.Dir)
	if err != nil || tree != pkg.Proof.Computed.Tree {
		t.Errorf("tree hash is %s (%v), want %s", tree, err, pkg.Proof.Computed.Tree)
	}
	lock := result.Locks[provider("acme/alpha")]
	if lock.Version != pkg.Selection.Version || lock.Constraints.String() != "~> 1.0" || !slices.Contains(lock.Hashes, tree) {
		t.Errorf("lock is %+v", lock)
	}
	f.wantRequests(6) // discovery, versions, package, archive, sums, signature
	f.wantKinds(installer.EventResolving, installer.EventResolved, installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventInstalled)
}

func TestInstallWithoutCacheUnpacksInPlace(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.CacheDir = ""
	pkg := f.install(require("acme/alpha", "")).Packages[0]
	if info, err := os.Lstat(pkg.Dir); err != nil || !info.IsDir() || pkg.Stored != "" {
		t.Errorf("%s is %v (%v), stored in %q; want a directory of its own", pkg.Dir, info, err, pkg.Stored)
	}
}

func TestNothingIsRequestedWhenLockAndDirectoriesAgree(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"))
	req := require("acme/alpha", "", "acme/beta", "")
	req.Locks = f.install(req).Locks
	f.srv.ResetRequests()
	f.kinds()

	t.Run("installed already", func(t *testing.T) {
		again := f.install(req)
		f.wantRequests(0)
		if !again.Locks.Equal(req.Locks) || !again.Packages[0].Proof.Locked {
			t.Errorf("locks changed to %v; proof %+v", again.Locks, again.Packages[0].Proof)
		}
	})
	t.Run("in the cache", func(t *testing.T) {
		f.in.Dir = t.TempDir()
		again := f.install(req)
		f.wantRequests(0)
		if !again.Locks.Equal(req.Locks) {
			t.Errorf("locks changed to %v", again.Locks)
		}
	})
}

func TestAnUnlockedPackageInTheCacheIsFetchedAndCompared(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	first := f.install(require("acme/alpha", "")).Packages[0]
	before, err := os.Stat(first.Stored)
	if err != nil {
		t.Fatal(err)
	}
	f.srv.ResetRequests()
	f.in.Dir = t.TempDir()
	second := f.install(require("acme/alpha", "")).Packages[0]
	if f.srv.Count(registrytest.KindArchive) != 1 {
		t.Error("the archive was not fetched again, although nothing proves the package in the cache")
	}
	if after, err := os.Stat(second.Stored); err != nil || !os.SameFile(before, after) {
		t.Errorf("the intact package in the cache was replaced (%v)", err)
	}
}

func TestUpgradeSelectsTheNewest(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := require("acme/alpha", "~> 1.0")
	req.Locks = f.install(req).Locks
	if err := f.srv.Add(release("acme/alpha", "1.2.0")); err != nil {
		t.Fatal(err)
	}
	if v := f.install(req).Packages[0].Selection.Version; v != version("1.0.0") {
		t.Errorf("without upgrade %s was selected, want the locked 1.0.0", v)
	}
	req.Upgrade = true
	result := f.install(req)
	if v := result.Packages[0].Selection.Version; v != version("1.2.0") {
		t.Errorf("with upgrade %s was selected, want 1.2.0", v)
	}
	lock := result.Locks[provider("acme/alpha")]
	for _, old := range req.Locks[provider("acme/alpha")].Hashes {
		if slices.Contains(lock.Hashes, old) {
			t.Errorf("hash %s of the old version was kept", old)
		}
	}
}

func TestALockedVersionOutsideOfTheConstraintsIsAnError(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/alpha", "2.0.0"))
	locks := f.install(require("acme/alpha", "1.0.0")).Locks
	req := require("acme/alpha", "~> 2.0")
	req.Locks = locks
	result, err := f.installError(req)
	var locked *installer.LockedError
	if !errors.As(err, &locked) || locked.Locked != version("1.0.0") {
		t.Errorf("error is %v, want a LockedError", err)
	}
	if !result.Locks.Equal(locks) {
		t.Errorf("locks are %v, want the old entry", result.Locks)
	}
}

func TestReadonly(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"))
	locks := f.install(require("acme/alpha", "")).Locks
	alpha, beta := provider("acme/alpha"), provider("acme/beta")
	f.srv.ResetRequests()

	t.Run("a provider more", func(t *testing.T) {
		req := require("acme/alpha", "", "acme/beta", "")
		req.Locks, req.Readonly = locks, true
		_, err := f.installError(req)
		var readonly *installer.ReadonlyError
		if !errors.As(err, &readonly) || !slices.Equal(readonly.Missing, []sources.Provider{beta}) {
			t.Errorf("error is %v", err)
		}
		f.wantRequests(0)
	})
	t.Run("a provider less", func(t *testing.T) {
		req := installer.Request{Locks: locks, Readonly: true}
		_, err := f.installError(req)
		var readonly *installer.ReadonlyError
		if !errors.As(err, &readonly) || !slices.Equal(readonly.Superfluous, []sources.Provider{alpha}) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("with upgrade", func(t *testing.T) {
		req := require("acme/alpha", "")
		req.Locks, req.Readonly, req.Upgrade = locks, true, true
		var field *sources.FieldError
		if _, err := f.installError(req); !errors.As(err, &field) || field.Field != "Request.Upgrade" {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("only hashes would be added", func(t *testing.T) {
		req := require("acme/alpha", "")
		lock := locks[alpha]
		lock.Hashes = slices.DeleteFunc(slices.Clone(lock.Hashes), func(h hashing.Hash) bool { return h.Scheme() == hashing.SchemeH1 })
		req.Locks, req.Readonly = installer.Locks{alpha: lock}, true
		result := f.install(req)
		if !result.Locks.Equal(req.Locks) || !slices.Equal(result.Unrecorded, []sources.Provider{alpha}) {
			t.Errorf("locks %v, unrecorded %v", result.Locks, result.Unrecorded)
		}
	})
}

func TestALockIsForRequiredProvidersOnly(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"))
	locks := f.install(require("acme/alpha", "", "acme/beta", "")).Locks
	req := require("acme/beta", "")
	req.Locks = locks
	got := f.install(req).Locks
	if _, kept := got[provider("acme/alpha")]; kept || len(got) != 1 {
		t.Errorf("locks are %v, want beta only", got)
	}
	if len(locks) != 2 {
		t.Error("the caller's locks were changed")
	}
}

// When a name is misspelt, its old entry looks as if nobody required it.
func TestAFailureForgetsNoLocks(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"))
	locks := f.install(require("acme/alpha", "", "acme/beta", "")).Locks
	req := require("acme/alhpa", "", "acme/beta", "")
	req.Locks = locks
	result, err := f.installError(req)
	if !errors.Is(err, sources.ErrNotFound) || !result.Locks.Equal(locks) {
		t.Errorf("locks are %v; %v", result.Locks, err)
	}
	got, err := f.in.Lock(t.Context(), req, []sources.Platform{linux})
	if !errors.Is(err, sources.ErrNotFound) || len(got) != 2 {
		t.Errorf("locks are %v; %v", got, err)
	}
}

func TestAFailureDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Provider: "acme/alpha", WrongHash: true})
	result, err := f.installError(require("acme/alpha", "", "acme/beta", "", "acme/gamma", ""))
	var all *installer.Error
	if !errors.As(err, &all) || len(all.Failures) != 2 {
		t.Fatalf("error is %v, want two failures", err)
	}
	if p := all.Failures[0].Provider; p != provider("acme/alpha") {
		t.Errorf("the first failure is that of %s", p)
	}
	if !errors.Is(all.Failures[1], sources.ErrNotFound) {
		t.Errorf("the second failure is %v", all.Failures[1])
	}
	if len(result.Packages) != 1 || len(result.Locks) != 1 {
		t.Errorf("result has %d packages and %d locks, want beta's", len(result.Packages), len(result.Locks))
	}
}

func TestManyProviders(t *testing.T) {
	t.Parallel()
	const count = 60
	var releases []registrytest.Release
	var pairs []string
	for i := range count {
		address := fmt.Sprintf("acme/p%02d", i)
		releases = append(releases, release(address, "1.0.0"))
		pairs = append(pairs, address, "")
	}
	f := setup(t, releases...)
	result := f.install(require(pairs...))
	if len(result.Packages) != count {
		t.Errorf("%d packages were installed", len(result.Packages))
	}
	if n := f.srv.Count(registrytest.KindDiscovery); n != 1 {
		t.Errorf("the host was discovered %d times", n)
	}
	sorted := slices.IsSortedFunc(result.Packages, func(a, b installer.Package) int {
		return a.Selection.Provider.Compare(b.Selection.Provider)
	})
	if !sorted {
		t.Error("packages are not in the order of addresses")
	}
}

func TestBuiltInProviders(t *testing.T) {
	t.Parallel()
	f := setup(t)
	result := f.install(require("terraform.io/builtin/terraform", ""))
	if len(result.Packages)+len(result.Locks) != 0 {
		t.Errorf("result is %+v, want nothing", result)
	}
	_, err := f.installError(require("terraform.io/builtin/terraform", "1.0.0"))
	var failure *installer.ProviderError
	if !errors.As(err, &failure) || !failure.Provider.BuiltIn() {
		t.Errorf("error is %v", err)
	}
	f.wantRequests(0)
}

func TestAnotherPlatform(t *testing.T) {
	t.Parallel()
	r := release("acme/alpha", "1.0.0")
	r.Platforms = []string{"windows_arm64"}
	f := setup(t, r)
	f.in.Platform = sources.Platform{OS: "windows", Arch: "arm64"}
	pkg := f.install(require("acme/alpha", "")).Packages[0]
	if filepath.Base(pkg.Dir) != "windows_arm64" {
		t.Errorf("installed to %s", pkg.Dir)
	}
}

func TestGetReturnsTheExecutable(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/alpha", "1.1.0"))
	pkg, err := f.in.Get(t.Context(), host+"acme/alpha", "< 1.1")
	if err != nil || filepath.Base(pkg.Executable) != "terraform-provider-alpha_v1.0.0" {
		t.Errorf("got %+v, %v", pkg, err)
	}
	f.in.Registry = sources.MustParseHost("registry.example.com")
	if pkg, err := f.in.Get(t.Context(), "acme/alpha", ""); err != nil || pkg.Version != version("1.1.0") {
		t.Errorf("with another default registry: got %+v, %v", pkg, err)
	}
	if _, err := f.in.Get(t.Context(), "not/an/address/at/all", ""); err == nil {
		t.Error("a bad address was accepted")
	}
	if _, err := f.in.Get(t.Context(), "acme/alpha", "what?"); err == nil {
		t.Error("a bad constraint was accepted")
	}
}

func TestImpossibleFieldsAreNamed(t *testing.T) {
	t.Parallel()
	f := setup(t)
	same := t.TempDir()
	tests := map[string]*installer.Installer{
		"Installer.Source":         {Dir: same},
		"Installer.Dir":            {Source: f.source()},
		"Installer.CacheDir":       {Source: f.source(), Dir: same, CacheDir: same},
		"Installer.Downloads":      {Source: f.source(), Dir: same, Downloads: -1},
		"Installer.Link":           {Source: f.source(), Dir: same, Link: 99},
		"Installer.Limits.Total":   {Source: f.source(), Dir: same, Limits: installer.Limits{Total: -1}},
		"Installer.Policy.Signers": {Source: f.source(), Dir: same, Policy: installer.Policy{Signers: []string{"0xABCD"}}},
	}
	for want, in := range tests {
		_, err := in.Install(t.Context(), require("acme/alpha", ""))
		var field *sources.FieldError
		if !errors.As(err, &field) || field.Field != want {
			t.Errorf("error is %v, want one about %s", err, want)
		}
	}
	_, err := f.in.Install(t.Context(), installer.Request{Requirements: installer.Requirements{sources.Provider{}: {}}})
	var field *sources.FieldError
	if !errors.As(err, &field) {
		t.Errorf("error is %v, want one about the zero provider", err)
	}
}

// fault makes the registry misbehave.
func (f *fixture) fault(fault registrytest.Fault) {
	f.Helper()
	if err := f.srv.AddFault(fault); err != nil {
		f.Fatal(err)
	}
}
