package installer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// mirror is a source that carries the statements of another: the keys are only its own word.
type mirror struct{ sources.Source }

func (m mirror) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := m.Source.Package(ctx, p, v, on)
	if err != nil {
		return nil, err
	}
	origin := pkg.Claims
	pkg.Claims = func(ctx context.Context) (hashing.Claims, error) {
		claims, err := origin(ctx)
		if claims.Signer != nil {
			signer := *claims.Signer
			signer.Carried = true
			claims.Signer = &signer
		}
		return claims, err
	}
	return pkg, nil
}

// setupMirror sets up an installation through a mirror of acme/alpha 1.0.0, for two platforms.
func setupMirror(t *testing.T, signer *registrytest.Signer) *fixture {
	t.Helper()
	r := release("acme/alpha", "1.0.0")
	r.Signer, r.Platforms = signer, []string{sources.CurrentPlatform().String(), "plan9_mips"}
	f := setup(t, r)
	f.in.Source = mirror{f.in.Source}
	return f
}

// Without a policy, the proof says who signed, and that only the mirror vouches for the key. What the mirror so says
// about other packages is not recorded.
func TestACarriedKeyShowsInTheProof(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	f := setupMirror(t, author)
	result := f.install(require("acme/alpha", ""))
	proof := result.Packages[0].Proof
	if proof.Authority != hashing.Signed || proof.Signer.Fingerprint != author.Fingerprint() || !proof.Signer.Carried {
		t.Errorf("proof is %+v, signer %+v", proof, proof.Signer)
	}
	want := []hashing.Hash{proof.Computed.Tree, proof.Computed.Archive}
	if got := result.Locks[provider("acme/alpha")].Hashes; !slices.Equal(got, want) {
		t.Errorf("hashes are %v, want %v", got, want)
	}
}

func TestRequireSignatureWantsMoreThanACarriedKey(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	f := setupMirror(t, author)
	f.in.Policy.RequireSignature = true
	f.wantPolicyError("RequireSignature")
	_, lockErr := f.in.Lock(t.Context(), require("acme/alpha", ""), nil)
	_, installErr := f.installError(require("acme/alpha", ""))
	for _, err := range []error{lockErr, installErr} {
		var policy *installer.PolicyError
		if !errors.As(err, &policy) || policy.Signer == nil || !policy.Signer.Carried {
			t.Fatalf("error is %v", err)
		}
		for _, want := range []string{author.Fingerprint(), "mirror", "Policy.Signers"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the message does not say %s: %v", want, err)
			}
		}
	}
}

// Pinned, a carried key is as good as the registry's, also for the other packages.
func TestAPinnedKeyMayBeCarried(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	for _, policy := range []installer.Policy{
		{Signers: []string{author.Fingerprint()}},
		{Signers: []string{author.Fingerprint()}, RequireSignature: true, RejectExpired: true},
	} {
		f := setupMirror(t, author)
		f.in.Policy = policy
		result := f.install(require("acme/alpha", ""))
		if proof := result.Packages[0].Proof; proof.Authority != hashing.Signed || !proof.Signer.Carried {
			t.Errorf("proof is %+v", proof)
		}
		if hashes := result.Locks[provider("acme/alpha")].Hashes; len(hashes) != 3 {
			t.Errorf("hashes are %v, want the h1 and both zh", hashes)
		}
	}
}

// A mirror that replaces package, signature and key passes for the author with nobody who knows the author's key.
func TestACarriedKeyOfSomebodyElse(t *testing.T) {
	t.Parallel()
	f := setupMirror(t, newSigner(t, registrytest.SignerOptions{}))
	f.in.Policy.Signers = []string{newSigner(t, registrytest.SignerOptions{}).Fingerprint()}
	f.wantPolicyError("Signers")
}

func TestACarriedKeyThatHasExpired(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{Expired: true})
	for _, policy := range []installer.Policy{
		{RejectExpired: true},
		{RejectExpired: true, Signers: []string{author.Fingerprint()}},
	} {
		f := setupMirror(t, author)
		f.in.Policy = policy
		f.wantPolicyError("RejectExpired")
	}
}

// A signature binds whoever vouches for its key: the mirror's own report about the package does not outweigh it.
func TestACarriedSignatureBinds(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	pkg, err := f.source().Package(t.Context(), provider("acme/alpha"), version("1.0.0"), sources.CurrentPlatform())
	if err != nil {
		t.Fatal(err)
	}
	archive := f.install(require("acme/alpha", "")).Packages[0].Proof.Computed.Archive
	pkg.Claims = func(context.Context) (hashing.Claims, error) {
		return hashing.Claims{
			Package: []hashing.Claim{{Hash: archiveHash, Authority: hashing.Signed}, {Hash: archive, Authority: hashing.Reported}},
			Signer:  &hashing.Signer{Fingerprint: "F", Carried: true},
		}, nil
	}
	in := &installer.Installer{Source: oneSource{pkg}, Dir: t.TempDir()}
	var mismatch *hashing.MismatchError
	if _, err := in.Install(t.Context(), require("acme/alpha", "")); !errors.As(err, &mismatch) || mismatch.By != hashing.BySource {
		t.Errorf("error is %v", err)
	}
}
