package installer_test

import (
	"errors"
	"io/fs"
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

var fourPlatforms = []sources.Platform{{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"}, {OS: "darwin", Arch: "arm64"}, {OS: "windows", Arch: "amd64"}}

func fourfold(r registrytest.Release) registrytest.Release {
	for _, on := range fourPlatforms {
		r.Platforms = append(r.Platforms, on.String())
	}
	return r
}

// complete asks for the h1 hashes, too.
func complete(req installer.Request) installer.Request {
	req.H1 = true
	return req
}

func schemes(hashes []hashing.Hash) map[string]int {
	count := make(map[string]int)
	for _, h := range hashes {
		count[h.Scheme()]++
	}
	return count
}

func TestLockComputesTheHashesOfAllPlatforms(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	locks, err := f.in.Lock(t.Context(), complete(require("acme/alpha", "")), fourPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	if got := schemes(locks[provider("acme/alpha")].Hashes); got["h1"] != 4 || got["zh"] != 4 {
		t.Errorf("hashes are %v, want 4 of each scheme", got)
	}
	if n := f.srv.Count(registrytest.KindSums); n != 1 {
		t.Errorf("the checksums were fetched %d times for one version", n)
	}
	f.wantNothingInstalled()
	for _, dir := range []string{f.in.Dir, f.in.CacheDir} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%v was left in %s (%v)", left, dir, err)
		}
	}

	// Each platform can install by it, and no hash is new.
	for _, on := range fourPlatforms {
		in := f.installer(t.TempDir(), t.TempDir())
		in.Platform = on
		req := require("acme/alpha", "")
		req.Locks, req.Readonly = locks, true
		result, err := in.Install(t.Context(), req)
		if err != nil || len(result.Unrecorded) != 0 {
			t.Errorf("%s: unrecorded %v, %v", on, result.Unrecorded, err)
		}
	}
}

func TestLockDownloadsNothingWhenHashesArePublished(t *testing.T) {
	t.Parallel()
	r := fourfold(release("acme/alpha", "1.0.0"))
	r.Packages = true
	f := setup(t, r)
	locks, err := f.in.Lock(t.Context(), complete(require("acme/alpha", "")), fourPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	if n := f.srv.Count(registrytest.KindArchive); n != 0 {
		t.Errorf("%d archives were downloaded", n)
	}
	if got := schemes(locks[provider("acme/alpha")].Hashes); got["h1"] != 4 || got["zh"] != 4 {
		t.Errorf("hashes are %v, want 4 of each scheme", got)
	}
}

func TestLockKeepsWhatWasLocked(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")), fourfold(release("acme/alpha", "1.1.0")))
	old, err := f.in.Lock(t.Context(), require("acme/alpha", "1.0.0"), fourPlatforms[:1])
	if err != nil {
		t.Fatal(err)
	}
	req := require("acme/alpha", "~> 1.0")
	req.Locks = old
	locks, err := f.in.Lock(t.Context(), req, fourPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	lock := locks[provider("acme/alpha")]
	if lock.Version != version("1.0.0") || lock.Constraints.String() != "~> 1.0" {
		t.Errorf("lock is %+v, want the locked version and the new constraints", lock)
	}
	for _, h := range old[provider("acme/alpha")].Hashes {
		if !slices.Contains(lock.Hashes, h) {
			t.Errorf("hash %s was lost", h)
		}
	}
}

// A lock file that knows one platform only does not stand in the way of adding others.
func TestLockAddsPlatforms(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	req := complete(require("acme/alpha", ""))
	alpha := provider("acme/alpha")
	req.Locks = installer.Locks{alpha: {Version: version("1.0.0"), Hashes: []hashing.Hash{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}}}
	locks, err := f.in.Lock(t.Context(), req, fourPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	if got := schemes(locks[alpha].Hashes); got["h1"] != 5 || got["zh"] != 4 {
		t.Errorf("hashes are %v, want the old one and 4 of each scheme", got)
	}
}

func TestLockNeedsEveryPlatform(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	_, err := f.in.Lock(t.Context(), require("acme/alpha", ""), append(fourPlatforms, sources.Platform{OS: "plan9", Arch: "386"}))
	var platform *sources.PlatformError
	var failure *installer.ProviderError
	if !errors.As(err, &platform) || !errors.As(err, &failure) || failure.Phase != installer.PhaseLock || failure.Platform.OS != "plan9" {
		t.Fatalf("error is %v", err)
	}
	if want := slices.SortedFunc(slices.Values(fourPlatforms), sources.Platform.Compare); !slices.Equal(platform.Available, want) {
		t.Errorf("there are %v, want %v", platform.Available, want)
	}
	if n := strings.Count(err.Error(), "acme/alpha"); n != 1 {
		t.Errorf("the provider is named %d times: %v", n, err)
	}
}

func TestLockRefusesWrongBytes(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, WrongHash: true})
	locks, err := f.in.Lock(t.Context(), complete(require("acme/alpha", "")), fourPlatforms)
	if err == nil || len(locks) != 0 {
		t.Errorf("locks are %v, error %v", locks, err)
	}
}

func TestLockIsNotForReadonly(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := installer.Request{Readonly: true}
	var field *sources.FieldError
	if _, err := f.in.Lock(t.Context(), req, nil); !errors.As(err, &field) || field.Field != "Request.Readonly" {
		t.Errorf("error is %v", err)
	}
}

// What a killed Lock leaves where files cannot lose their names is removed by the next.
func TestLockClearsLeftovers(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	left := filepath.Join(f.in.CacheDir, ".purveyor-scratch-123")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.in.Lock(t.Context(), complete(require("acme/alpha", "")), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover is still there (%v)", err)
	}
}

func TestLockNeedsNoDirectory(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	in := &installer.Installer{Source: f.source()}
	if _, err := in.Lock(t.Context(), require("acme/alpha", ""), nil); err != nil {
		t.Error(err)
	}
}
