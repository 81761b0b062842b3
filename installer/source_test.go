package installer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// oneSource answers every question with the same package.
type oneSource struct{ pkg *sources.Package }

func (oneSource) Versions(context.Context, sources.Provider) (sources.Listing, error) {
	return sources.Listing{Versions: []sources.Available{{Version: version("1.0.0")}}}, nil
}

func (s oneSource) Package(context.Context, sources.Provider, sources.Version, sources.Platform) (*sources.Package, error) {
	return s.pkg, nil
}

func (oneSource) String() string { return "one package" }

// unpackedAlpha describes a directory with a provider in it.
func unpackedAlpha(t *testing.T) (*sources.Package, hashing.Hash) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "terraform-provider-alpha"), []byte("alpha"), 0o755); err != nil {
		t.Fatal(err)
	}
	tree, err := hashing.Dir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return &sources.Package{
		Provider: provider("acme/alpha"),
		Version:  version("1.0.0"),
		Platform: sources.CurrentPlatform(),
		Location: dir,
		Content:  sources.Content{Dir: dir},
	}, tree
}

func claiming(claims ...hashing.Claim) func(context.Context) (hashing.Claims, error) {
	return func(context.Context) (hashing.Claims, error) {
		return hashing.Claims{Package: claims, Signer: &hashing.Signer{Fingerprint: "F"}}, nil
	}
}

// A source that breaks the rules is an error, not a panic and not another package.
func TestASourceThatBreaksTheRules(t *testing.T) {
	t.Parallel()
	broken := func(change func(*sources.Package)) *sources.Package {
		pkg, _ := unpackedAlpha(t)
		change(pkg)
		return pkg
	}
	tests := map[string]*sources.Package{
		"nothing":          nil,
		"no content":       broken(func(p *sources.Package) { p.Content.Dir = "" }),
		"two contents":     broken(func(p *sources.Package) { p.Content.Archive = sources.OpenFunc(nil) }),
		"relative dir":     broken(func(p *sources.Package) { p.Content.Dir = "relative" }),
		"another provider": broken(func(p *sources.Package) { p.Provider = provider("acme/beta") }),
		"another version":  broken(func(p *sources.Package) { p.Version = version("1.0.1") }),
		"another platform": broken(func(p *sources.Package) { p.Platform = sources.Platform{OS: "plan9", Arch: "mips"} }),
	}
	for name, pkg := range tests {
		in := &installer.Installer{Source: oneSource{pkg}, Dir: t.TempDir()}
		if _, err := in.Install(t.Context(), require("acme/alpha", "")); err == nil {
			t.Errorf("%s was accepted", name)
		}
		if left, err := os.ReadDir(in.Dir); err != nil || len(left) > 1 {
			t.Errorf("%s: %v was left (%v)", name, left, err)
		}
	}
}

// An unpacked package is verified where it is, and linked to; the cache has no part in it.
func TestAnUnpackedPackageIsLinked(t *testing.T) {
	t.Parallel()
	pkg, tree := unpackedAlpha(t)
	in := &installer.Installer{Source: oneSource{pkg}, Dir: t.TempDir(), CacheDir: t.TempDir()}
	result, err := in.Install(t.Context(), require("acme/alpha", ""))
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Packages[0]; got.Stored != pkg.Content.Dir || !slices.Equal(got.Proof.Hashes, []hashing.Hash{tree}) {
		t.Errorf("installed from %s with %v", got.Stored, got.Proof.Hashes)
	}
}

const archiveHash = hashing.Hash("zh:0000000000000000000000000000000000000000000000000000000000000001")

// A lock file that has only hashes of archives says nothing about a directory: refused, unless the policy insists.
// What the source itself claims about the directory binds in any case.
func TestUnverifiableDirectories(t *testing.T) {
	t.Parallel()
	const wrong = hashing.Hash("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
	pkg, tree := unpackedAlpha(t)
	req := require("acme/alpha", "")
	req.Locks = installer.Locks{provider("acme/alpha"): {Version: version("1.0.0"), Hashes: []hashing.Hash{archiveHash}}}
	install := func(insecure bool, claims ...hashing.Claim) (*installer.Result, error) {
		pkg := *pkg
		if claims != nil {
			pkg.Claims = claiming(claims...)
		}
		in := &installer.Installer{Source: oneSource{&pkg}, Dir: t.TempDir(), Policy: installer.Policy{AllowUnverifiableInsecure: insecure}}
		return in.Install(t.Context(), req)
	}

	var unverifiable *hashing.UnverifiableError
	if _, err := install(false); !errors.As(err, &unverifiable) {
		t.Errorf("error is %v", err)
	}
	result, err := install(true)
	if err != nil {
		t.Fatal(err)
	}
	if proof := result.Packages[0].Proof; proof.Locked || proof.Authority != hashing.Unverified || !slices.Contains(proof.Hashes, archiveHash) {
		t.Errorf("proof is %+v", proof)
	}
	for _, authority := range []hashing.Authority{hashing.Reported, hashing.Signed} {
		var mismatch *hashing.MismatchError
		if _, err := install(true, hashing.Claim{Hash: wrong, Authority: authority}); !errors.As(err, &mismatch) {
			t.Errorf("a directory that contradicts a %s claim: error is %v", authority, err)
		}
		result, err := install(true, hashing.Claim{Hash: tree, Authority: authority})
		if err != nil || result.Packages[0].Proof.Authority != authority {
			t.Errorf("a directory that meets a %s claim: %v", authority, err)
		}
	}
}

// Lock believes claims without looking at the package only where there is no doubt which.
func TestLockWeighsClaims(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	real, err := f.source().Package(t.Context(), provider("acme/alpha"), version("1.0.0"), sources.CurrentPlatform())
	if err != nil {
		t.Fatal(err)
	}
	proof := f.install(require("acme/alpha", "")).Packages[0].Proof
	tree, archive := proof.Computed.Tree, proof.Computed.Archive
	const wrong = hashing.Hash("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
	signed := func(h hashing.Hash) hashing.Claim { return hashing.Claim{Hash: h, Authority: hashing.Signed} }
	reported := func(h hashing.Hash) hashing.Claim { return hashing.Claim{Hash: h, Authority: hashing.Reported} }
	both := []hashing.Hash{tree, archive}
	for name, test := range map[string]struct {
		claims             []hashing.Claim
		policy             installer.Policy
		want               []hashing.Hash // both with H1
		fetched, fetchedH1 int
	}{
		"signed against reported": {claims: []hashing.Claim{signed(archive), signed(tree), reported(wrong)}, want: both},
		"two reports of contents": {claims: []hashing.Claim{signed(archive), reported(tree), reported(wrong)}, want: both[1:], fetchedH1: 1},
		"another archive":         {claims: []hashing.Claim{signed(archive), reported(archiveHash)}, want: both[1:], fetchedH1: 1},
		"one report":              {claims: []hashing.Claim{signed(archive), reported(tree)}, want: both},
		"a report of the archive": {claims: []hashing.Claim{reported(archive)}, want: both[1:], fetchedH1: 1},
		"two signed archives":     {claims: []hashing.Claim{signed(archive), signed(archiveHash), reported(wrong)}, want: both, fetched: 1, fetchedH1: 1},
		"two reported archives":   {claims: []hashing.Claim{reported(archive), reported(archiveHash)}, want: both, fetched: 1, fetchedH1: 1},
		"unknown schemes":         {claims: []hashing.Claim{signed(archive), reported("zz9:future")}, want: both[1:], fetchedH1: 1},
		"hearsay where signatures are required": {
			claims: []hashing.Claim{signed(archive), reported(wrong)}, want: both[1:], fetchedH1: 1,
			policy: installer.Policy{RequireSignature: true},
		},
	} {
		for _, h1 := range []bool{false, true} {
			pkg := *real
			pkg.Claims = claiming(test.claims...)
			f.srv.ResetRequests()
			in := &installer.Installer{Source: oneSource{&pkg}, Policy: test.policy}
			req := require("acme/alpha", "")
			want, fetched := test.want, test.fetched
			if req.H1 = h1; h1 {
				want, fetched = both, test.fetchedH1
			}
			locks, err := in.Lock(t.Context(), req, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := locks[provider("acme/alpha")].Hashes; !slices.Equal(got, want) {
				t.Errorf("%s, H1 %v: hashes are %v, want %v", name, h1, got, want)
			}
			if n := f.srv.Count(registrytest.KindArchive); n != fetched {
				t.Errorf("%s, H1 %v: %d archives were fetched, want %d", name, h1, n, fetched)
			}
		}
	}
}

// What the lock file proves is installed, also if the source claims only hashes that nobody here can judge.
func TestALockJudgesWhereClaimsCannotBe(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := require("acme/alpha", "")
	req.Locks = f.install(req).Locks
	real, err := f.source().Package(t.Context(), provider("acme/alpha"), version("1.0.0"), sources.CurrentPlatform())
	if err != nil {
		t.Fatal(err)
	}
	pkg := *real
	pkg.Claims = claiming(hashing.Claim{Hash: "zz9:future", Authority: hashing.Reported})
	in := &installer.Installer{Source: oneSource{&pkg}, Dir: t.TempDir(), CacheDir: t.TempDir(), RecordDir: filepath.Join(t.TempDir(), "records")}
	result, err := in.Install(t.Context(), req)
	if err != nil || !result.Packages[0].Proof.Locked {
		t.Fatalf("result %+v, error %v", result, err)
	}
	req.Locks = nil
	var unverifiable *hashing.UnverifiableError
	if _, err := in.Install(t.Context(), req); !errors.As(err, &unverifiable) {
		t.Errorf("without the lock file: error is %v", err)
	}
}
