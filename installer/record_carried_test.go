//go:build linux || darwin

package installer_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// rememberingMirror sets up an installation through a mirror that is remembered, and returns a request without a lock
// file and the locks that it gave. The next installation is another project's.
func rememberingMirror(t *testing.T, signer *registrytest.Signer) (*fixture, installer.Request, installer.Locks) {
	t.Helper()
	f := setupMirror(t, signer)
	f.in.RecordDir = filepath.Join(t.TempDir(), "records")
	req := require("acme/alpha", "")
	locks := f.install(req).Locks
	age(t, f.in.RecordDir)
	f.srv.ResetRequests()
	f.in.Dir = t.TempDir()
	return f, req, locks
}

// What was signed by a key of a mirror is no proof for other projects without a lock file: it is fetched again.
func TestACarriedKeyIsNotRememberedForOthers(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	f, req, _ := rememberingMirror(t, author)
	f.install(req)
	if n := f.srv.Count(registrytest.KindArchive); n != 1 {
		t.Errorf("%d downloads, want 1", n)
	}

	f.in.Dir = t.TempDir()
	f.in.Policy.RequireSignature = true
	_, err := f.installError(req)
	var policy *installer.PolicyError
	if !errors.As(err, &policy) || policy.Rule != "RequireSignature" {
		t.Errorf("error is %v", err)
	}
	f.in.Policy.Signers = []string{newSigner(t, registrytest.SignerOptions{}).Fingerprint()}
	if _, err := f.installError(req); !errors.As(err, &policy) || policy.Rule != "Signers" {
		t.Errorf("error is %v", err)
	}
}

// Nor does it make a package right that a lock file contradicts.
func TestVerifyPrefersALockFileToACarriedKey(t *testing.T) {
	t.Parallel()
	f, _, locks := rememberingMirror(t, newSigner(t, registrytest.SignerOptions{}))
	c := &installer.Cache{Dir: f.in.CacheDir, RecordDir: f.in.RecordDir}
	other := locks.Clone()
	for p, lock := range other {
		lock.Hashes = []hashing.Hash{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}
		other[p] = lock
	}
	if n := len(verify(t, c)); n != 1 {
		t.Fatalf("%d verdicts", n)
	}
	for _, v := range verify(t, c, locks) {
		if v.Proof == nil || !v.Proof.Locked || v.Proof.Signer == nil || !v.Proof.Signer.Carried {
			t.Fatalf("with the right lock file the verdict is %+v", v)
		}
	}
	for _, v := range verify(t, c, other) {
		var mismatch *hashing.MismatchError
		if !errors.As(v.Err, &mismatch) || mismatch.By != hashing.ByLock || v.Proof != nil {
			t.Errorf("verdict is %+v", v)
		}
	}
}

// The registry may say something else than the mirror did. A project that asks it gets its answer.
func TestARegistryIsAskedWhereOnlyAMirrorVouched(t *testing.T) {
	t.Parallel()
	f, req, _ := rememberingMirror(t, newSigner(t, registrytest.SignerOptions{}))
	f.in.Source = f.source()
	f.in.Policy.RequireSignature = true
	proof := f.install(req).Packages[0].Proof
	if proof.Authority != hashing.Signed || proof.Signer.Carried || f.srv.Count(registrytest.KindArchive) != 1 {
		t.Errorf("proof is %+v, signer %+v", proof, proof.Signer)
	}
	age(t, f.in.RecordDir)
	f.srv.ResetRequests()
	f.in.Dir, f.in.Policy = t.TempDir(), installer.Policy{}
	if f.install(req); f.srv.Count(registrytest.KindArchive) != 0 {
		t.Error("what the registry vouched for is not remembered")
	}
}

// Who pins the key knows it, whoever brought it.
func TestACarriedKeyIsRememberedForThoseWhoPinIt(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	f, req, _ := rememberingMirror(t, author)
	f.in.Policy.Signers = []string{author.Fingerprint()}
	result := f.install(req)
	proof := result.Packages[0].Proof
	if proof.Authority != hashing.Signed || proof.Signer.Fingerprint != author.Fingerprint() || !proof.Signer.Carried {
		t.Errorf("proof is %+v, signer %+v", proof, proof.Signer)
	}
	if hashes := result.Locks[provider("acme/alpha")].Hashes; len(hashes) != 3 {
		t.Errorf("hashes are %v, want those of the other platform, too", hashes)
	}
	if n := f.srv.Count(registrytest.KindArchive) + f.srv.Count(registrytest.KindPackage); n != 0 {
		t.Errorf("%d requests for a package that is known", n)
	}
}

// Where the lock file proves the package, who signed it is remembered as it was.
func TestACarriedKeyIsShownBesideTheLock(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	f, req, locks := rememberingMirror(t, author)
	req.Locks = locks
	proof := f.install(req).Packages[0].Proof
	if !proof.Locked || proof.Authority != hashing.Signed || !proof.Signer.Carried {
		t.Errorf("proof is %+v, signer %+v", proof, proof.Signer)
	}
	f.wantRequests(0)
}
