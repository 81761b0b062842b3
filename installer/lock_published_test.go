package installer_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The package comment says how many requests it takes to lock for several platforms: for documents only.
func TestLockRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ one, two, locked int }{
		"registry":       {8, 15, 7},
		"network mirror": {5, 10, 4},
		"OCI mirror":     {17, 34, 16},
		"directory":      {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
				fourfold(release("acme/alpha", "1.0.0")), fourfold(release("acme/beta", "1.0.0")),
			}})
			lock := func(want int, locks installer.Locks, names ...string) installer.Locks {
				t.Helper()
				in := &installer.Installer{Source: sourcesToCount[name](t, srv)}
				req := installer.Request{Requirements: installer.Requirements{}, Locks: locks}
				for _, name := range names {
					req.Requirements[sources.MustParseProvider(srv.Host()+"/acme/"+name)] = sources.Constraints{}
				}
				srv.ResetRequests()
				locks, err := in.Lock(t.Context(), req, fourPlatforms)
				if err != nil {
					t.Fatal(err)
				}
				if got := len(srv.Requests()); got != want {
					t.Errorf("%d requests for %v, want %d", got, names, want)
				}
				if n := srv.Count(registrytest.KindArchive) + srv.Count(registrytest.KindOCIBlob); n != 0 {
					t.Errorf("%d archives were fetched", n)
				}
				return locks
			}
			first := lock(test.one, nil, "alpha")
			lock(test.locked, first, "alpha")
			lock(test.two, nil, "alpha", "beta")
		})
	}
}

// Whatever the sources are, what Lock records without looking at packages is what installations record, or less.
func TestLockRecordsNothingThatInstallationsWouldNot(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, registrytest.SignerOptions{})
	for name, test := range map[string]struct {
		release  registrytest.Release
		source   func(t *testing.T, f *fixture) sources.Source // nil: the registry
		policy   installer.Policy
		archives int            // that have to be downloaded
		want     map[string]int // hashes by scheme
	}{
		"signed":                  {want: map[string]int{"zh": 4}},
		"unsigned":                {release: registrytest.Release{Provider: "registry.opentofu.org/acme/alpha", Unsigned: true}, want: map[string]int{"zh": 4}},
		"signatures required":     {policy: installer.Policy{RequireSignature: true}, release: registrytest.Release{Packages: true}, want: map[string]int{"zh": 4}},
		"pinned":                  {policy: installer.Policy{Signers: []string{signer.Fingerprint()}}, want: map[string]int{"zh": 4}},
		"published by a registry": {release: registrytest.Release{Packages: true}, want: map[string]int{"h1": 4, "zh": 4}},
		"mirror with both":        {source: networkMirror, want: map[string]int{"h1": 4, "zh": 4}},
		"mirror with contents":    {source: networkMirror, release: registrytest.Release{MirrorHashes: []string{"h1"}}, want: map[string]int{"h1": 4}},
		"mirror with archives":    {source: networkMirror, release: registrytest.Release{MirrorHashes: []string{"zh"}}, want: map[string]int{"zh": 4}},
		"mirror without hashes":   {source: networkMirror, release: registrytest.Release{MirrorHashes: []string{}}, archives: 4, want: map[string]int{"h1": 4}},
		"packed directory":        {source: directory(registrytest.Packed), want: map[string]int{"h1": 4}},
		"unpacked directory":      {source: directory(registrytest.Unpacked), want: map[string]int{"h1": 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fourfold(test.release)
			if r.Version, r.Signer = "1.0.0", signer; r.Provider == "" {
				r.Provider = "acme/alpha"
			}
			f := setup(t, r)
			if test.source != nil {
				f.in.Source = test.source(t, f)
			}
			f.in.Policy = test.policy
			f.srv.ResetRequests()
			req := require(r.Provider, "")
			p := slices.Collect(keysOf(req))[0]
			locks, err := f.in.Lock(t.Context(), req, fourPlatforms)
			if err != nil {
				t.Fatal(err)
			}
			if n := f.srv.Count(registrytest.KindArchive); n != test.archives {
				t.Errorf("%d archives were downloaded, want %d", n, test.archives)
			}
			got := locks[p].Hashes
			if count := schemes(got); count["h1"] != test.want["h1"] || count["zh"] != test.want["zh"] {
				t.Errorf("hashes are %v, want %v", count, test.want)
			}
			recorded := f.recordedByInstalling(req)
			for _, h := range got {
				if !slices.Contains(recorded, h) {
					t.Errorf("%s is recorded by no installation", h)
				}
			}
			req.Locks = locks // it binds, and everybody can install by it
			f.recordedByInstalling(req)
		})
	}
}

func keysOf(req installer.Request) func(func(sources.Provider) bool) {
	return func(yield func(sources.Provider) bool) {
		for p := range req.Requirements {
			if !yield(p) {
				return
			}
		}
	}
}

// recordedByInstalling installs for each platform, in places of its own, and returns all hashes.
func (f *fixture) recordedByInstalling(req installer.Request) []hashing.Hash {
	f.Helper()
	var all []hashing.Hash
	for _, on := range fourPlatforms {
		in := *f.in
		in.Dir, in.CacheDir, in.Platform, in.Notify = f.TempDir(), f.TempDir(), on, nil
		result, err := in.Install(f.Context(), req)
		if err != nil {
			f.Errorf("%s: %v", on, err)
			continue
		}
		for _, lock := range result.Locks {
			all = append(all, lock.Hashes...)
		}
	}
	return all
}

func networkMirror(t *testing.T, f *fixture) sources.Source {
	source, err := netmirror.New(netmirror.Config{URL: f.srv.MirrorURL(), Client: f.srv.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func directory(layout registrytest.Layout) func(*testing.T, *fixture) sources.Source {
	return func(t *testing.T, f *fixture) sources.Source {
		dir := t.TempDir()
		if err := f.srv.WriteMirror(dir, layout, host+"acme/alpha"); err != nil {
			t.Fatal(err)
		}
		return fsmirror.New(dir)
	}
}

// Each platform's hashes are of the package that a chain would bring there, and only what nobody vouches for is fetched.
func TestLockFromAChain(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	other := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux_amd64"}, Executable: []byte("built elsewhere"), MirrorHashes: []string{}})
	hashless := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux_arm64"}, MirrorHashes: []string{"zh"}})
	f.in.Source = sources.Chain{{Source: networkMirror(t, other)}, {Source: networkMirror(t, hashless)}, {Source: f.source()}}
	req := require("acme/alpha", "")
	locks, err := f.in.Lock(t.Context(), req, fourPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := other.srv.Count(registrytest.KindArchive), hashless.srv.Count(registrytest.KindArchive), f.srv.Count(registrytest.KindArchive); a != 1 || b != 0 || c != 0 {
		t.Errorf("archives downloaded: %d, %d, %d; want the one that nobody vouches for", a, b, c)
	}
	req.Locks = locks
	f.recordedByInstalling(req)

	_, err = f.in.Lock(t.Context(), req, []sources.Platform{{OS: "plan9", Arch: "386"}})
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || len(platform.Available) != len(fourPlatforms) {
		t.Errorf("error is %v, want one with the platforms of all sources", err)
	}
}

// A policy judges published hashes as it judges packages.
func TestLockObeysThePolicyWithoutPackages(t *testing.T) {
	t.Parallel()
	const stranger = "0123456789ABCDEF0123456789ABCDEF01234567"
	for name, test := range map[string]struct {
		policy installer.Policy
		source func(*testing.T, *fixture) sources.Source
		rule   string
	}{
		"another signer":   {policy: installer.Policy{Signers: []string{stranger}}, rule: "Signers"},
		"hearsay":          {policy: installer.Policy{RequireSignature: true}, source: networkMirror, rule: "RequireSignature"},
		"hearsay, pinning": {policy: installer.Policy{Signers: []string{stranger}}, source: networkMirror, rule: "Signers"},
	} {
		f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
		if test.source != nil {
			f.in.Source = test.source(t, f)
		}
		f.in.Policy = test.policy
		locks, err := f.in.Lock(t.Context(), require("acme/alpha", ""), fourPlatforms)
		var policy *installer.PolicyError
		if !errors.As(err, &policy) || policy.Rule != test.rule || len(locks) != 0 {
			t.Errorf("%s: locks are %v, error %v", name, locks, err)
		}
	}
}

// A claim of a signature that nobody made is worth no more than any other, so that the two are in dispute.
func TestLockGivesUnsignedClaimsNoPreference(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	pkg, err := f.source().Package(t.Context(), provider("acme/alpha"), version("1.0.0"), sources.CurrentPlatform())
	if err != nil {
		t.Fatal(err)
	}
	own, err := pkg.Claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const other = "zh:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	pkg.Claims = func(context.Context) (hashing.Claims, error) {
		return hashing.Claims{Package: []hashing.Claim{
			{Hash: other, Authority: hashing.Signed},
			{Hash: own.Package[0].Hash, Authority: hashing.Reported},
		}}, nil
	}
	in := &installer.Installer{Source: oneSource{pkg}}
	locks, err := in.Lock(t.Context(), require("acme/alpha", ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	if hashes := locks[provider("acme/alpha")].Hashes; slices.Contains(hashes, other) || !slices.Contains(hashes, own.Package[0].Hash) {
		t.Errorf("hashes are %v", hashes)
	}
}

// A version is usable if all platforms can use it for which Lock is to lock, whichever this process runs on.
func TestLockLooksForVersionsThatAllPlatformsCanUse(t *testing.T) {
	t.Parallel()
	all, here := fourfold(release("acme/alpha", "1.0.0")), release("acme/alpha", "1.1.0")
	none := fourfold(release("acme/alpha", "1.2.0"))
	here.Platforms, none.Platforms = []string{fourPlatforms[0].String()}, none.Platforms[:1]
	f := setup(t, all, here, none)
	f.in.Platform = fourPlatforms[0]
	req := require("acme/alpha", "")
	_, err := f.in.Lock(t.Context(), req, fourPlatforms)
	var unusable *installer.UnusableError
	if !errors.As(err, &unusable) || unusable.Usable != version("1.0.0") {
		t.Errorf("error is %v, want one that suggests 1.0.0", err)
	}
	req.OnlyUsable = true
	locks, err := f.in.Lock(t.Context(), req, fourPlatforms)
	if v := locks[provider("acme/alpha")].Version; err != nil || v != version("1.0.0") {
		t.Errorf("locked is %s (%v), want 1.0.0", v, err)
	}
	if locks, err = f.in.Lock(t.Context(), req, nil); err != nil || locks[provider("acme/alpha")].Version != version("1.2.0") {
		t.Errorf("for one platform, locked is %v (%v), want 1.2.0", locks, err)
	}
}
