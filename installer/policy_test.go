package installer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func newSigner(t *testing.T, options registrytest.SignerOptions) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", options)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func (f *fixture) wantPolicyError(rule string) {
	f.Helper()
	_, err := f.installError(require("acme/alpha", ""))
	var policy *installer.PolicyError
	if !errors.As(err, &policy) || policy.Rule != rule {
		f.Errorf("error is %v, want one about %s", err, rule)
	}
	f.wantNothingInstalled()
}

func TestAnExpiredKeyIsAcceptedMarkedAndRejectable(t *testing.T) {
	t.Parallel()
	for _, options := range []registrytest.SignerOptions{{Expired: true}, {ExpiredSignature: true}} {
		r := release("acme/alpha", "1.0.0")
		r.Signer = newSigner(t, options)
		f := setup(t, r)
		f.in.Policy.RejectExpired = true
		f.wantPolicyError("RejectExpired")
		f.in.Policy.RejectExpired = false
		proof := f.install(require("acme/alpha", "")).Packages[0].Proof
		if proof.Authority != hashing.Signed || proof.Signer.ExpiredAt.IsZero() {
			t.Errorf("%+v: proof is %+v, signer %+v; want one marked as expired", options, proof, proof.Signer)
		}
	}
}

func TestPinnedSigners(t *testing.T) {
	t.Parallel()
	ours, theirs := newSigner(t, registrytest.SignerOptions{}), newSigner(t, registrytest.SignerOptions{Subkey: true})
	r := release("acme/alpha", "1.0.0")
	r.Signer = theirs
	f := setup(t, r)
	f.in.Policy.Signers = []string{ours.Fingerprint()}
	f.wantPolicyError("Signers")

	spaced := strings.ToLower(theirs.Fingerprint())
	spaced = spaced[:4] + " " + spaced[4:20] + "  " + spaced[20:]
	f.in.Policy.Signers = []string{ours.Fingerprint(), spaced}
	if signer := f.install(require("acme/alpha", "")).Packages[0].Proof.Signer; signer.Fingerprint != theirs.Fingerprint() {
		t.Errorf("signed by %+v", signer)
	}
}

func TestAnEmptyListOfSignersPinsNobody(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.Policy.Signers = []string{}
	f.wantPolicyError("Signers")
}

// The default registry, and only that, may offer packages without keys. They are recorded as reported.
func TestUnsignedPackages(t *testing.T) {
	t.Parallel()
	r := release("acme/alpha", "1.0.0")
	r.Unsigned, r.Packages, r.Platforms = true, true, []string{"linux_amd64", "darwin_arm64"}
	f := setup(t, r)
	unsigned := "registry.opentofu.org/acme/alpha"
	pkg := f.install(require(unsigned, "")).Packages[0]
	if pkg.Proof.Authority != hashing.Reported || pkg.Proof.Signer != nil {
		t.Errorf("proof is %+v", pkg.Proof)
	}
	if n := len(pkg.Proof.Hashes); n != 4 {
		t.Errorf("%d hashes are fit for the lock file, want h1 and zh for two platforms", n)
	}

	f.in.Dir, f.in.CacheDir = t.TempDir(), t.TempDir()
	f.in.Policy.RequireSignature = true
	_, err := f.installError(require(unsigned, ""))
	var policy *installer.PolicyError
	if !errors.As(err, &policy) || policy.Rule != "RequireSignature" {
		t.Errorf("error is %v", err)
	}
	f.wantNothingInstalled()
}

// With RequireSignature, what the registry merely reports about other platforms does not get into the lock file.
func TestRequireSignatureKeepsHearsayOutOfLocks(t *testing.T) {
	t.Parallel()
	r := release("acme/alpha", "1.0.0")
	r.Packages, r.Platforms = true, []string{"linux_amd64", "darwin_arm64"}
	count := func(policy installer.Policy) (h1, zh int) {
		f := setup(t, r)
		f.in.Policy = policy
		for _, hash := range f.install(require("acme/alpha", "")).Locks[provider("acme/alpha")].Hashes {
			switch hash.Scheme() {
			case hashing.SchemeH1:
				h1++
			case hashing.SchemeZH:
				zh++
			}
		}
		return h1, zh
	}
	if h1, zh := count(installer.Policy{}); h1 != 2 || zh != 2 {
		t.Errorf("by default %d h1 and %d zh are recorded, want 2 and 2", h1, zh)
	}
	if h1, zh := count(installer.Policy{RequireSignature: true}); h1 != 1 || zh != 2 {
		t.Errorf("with RequireSignature %d h1 and %d zh are recorded, want 1 and 2", h1, zh)
	}
}

func TestUnknownHashesSurvive(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := require("acme/alpha", "")
	req.Locks = f.install(req).Locks
	lock := req.Locks[provider("acme/alpha")]
	lock.Hashes = append(lock.Hashes, "zz9:future")
	req.Locks[provider("acme/alpha")] = lock
	f.in.Dir, f.in.CacheDir = t.TempDir(), t.TempDir()
	if got := f.install(req).Locks[provider("acme/alpha")].Hashes; !slices.Equal(got, lock.Hashes) {
		t.Errorf("hashes are %v, want %v", got, lock.Hashes)
	}
}
