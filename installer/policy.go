package installer

import (
	"fmt"
	"slices"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Policy says what is needed to accept a package that is fetched. The zero value accepts what terraform and tofu
// accept: a source's claims must be true where there are any, a bad signature is an error, an expired key is marked
// in the proof.
//
// A package that is already in a directory, and that a hash of the lock file proves, was judged when it was recorded;
// the policy does not judge it again.
type Policy struct {
	// RequireSignature accepts only packages whose checksums are signed, and records only signed hashes, and those
	// of the packages themselves, in lock files. The key must be one that the provider's registry offers, or that
	// Signers pins: one that only came with the package through a mirror ([hashing.Signer.Carried]) could be anybody's.
	RequireSignature bool

	// Signers are the fingerprints of the only primary keys that are accepted: 40 or 64 hexadecimal digits, spaces
	// and case do not matter. It implies RequireSignature. Nil: any key that the registry offers. Empty but not nil:
	// none is accepted.
	//
	// This is how signatures are verified end to end through mirrors that nobody needs to trust. Take the fingerprint
	// from the provider's author, or from an installation through the registry, never from the mirror.
	Signers []string

	// RejectExpired does not accept signatures by keys that have expired, nor expired signatures.
	RejectExpired bool

	// AllowUnverifiableInsecure installs an unpacked directory of a mirror although the lock file has only
	// hashes of archives, which cannot be compared with it. The proof then says that nothing was verified.
	AllowUnverifiableInsecure bool
}

// PolicyError says that a package was verified as far as it can be, and that this is less than the policy asks for.
type PolicyError struct {
	Rule   string          // the field of Policy: "RequireSignature", "Signers", "RejectExpired"
	Signer *hashing.Signer // who signed; nil: nobody
}

func (e *PolicyError) Error() string {
	switch {
	case e.Signer == nil:
		return "the package is not signed, and Policy." + e.Rule + " asks for a signature"
	case e.Rule == "RejectExpired":
		return fmt.Sprintf("the signature by %s expired on %s, and Policy.RejectExpired is set", e.Signer.Fingerprint, e.Signer.ExpiredAt.Format(time.DateOnly))
	case e.Rule == "RequireSignature":
		return fmt.Sprintf("the package is signed by %s (%s), but that key came with it through a mirror, where anybody could have made both, and Policy.RequireSignature asks for more: if the provider's author confirms the fingerprint, pin it in Policy.Signers",
			e.Signer.Fingerprint, e.Signer.Identity)
	}
	return fmt.Sprintf("the package is signed by %s (%s), which is not among Policy.%s", e.Signer.Fingerprint, e.Signer.Identity, e.Rule)
}

// signed reports whether only signed packages are acceptable.
func (p Policy) signed() bool { return p.RequireSignature || p.Signers != nil }

func (p Policy) check() error {
	for _, text := range p.Signers {
		if _, err := hashing.ParseFingerprint(text); err != nil {
			return &sources.FieldError{Field: "Installer.Policy.Signers", Problem: err.Error()}
		}
	}
	return nil
}

// admissible drops the claims about other packages that the policy gives no weight. Those under a key that only a mirror
// vouches for are the mirror's own, which the existing clients do not record either.
func (p Policy) admissible(claims hashing.Claims) hashing.Claims {
	if p.signed() {
		claims = signedOnly(claims)
	}
	if claims.Signer != nil && !p.trusts(claims.Signer) {
		claims.Others = without(claims.Others, func(c hashing.Claim) bool { return c.Authority >= hashing.Signed })
	}
	return claims
}

// signedOnly drops the claims about other packages that nobody signed.
func signedOnly(claims hashing.Claims) hashing.Claims {
	claims.Others = without(claims.Others, func(c hashing.Claim) bool {
		return c.Authority < hashing.Signed || claims.Signer == nil
	})
	return claims
}

func without(claims []hashing.Claim, drop func(hashing.Claim) bool) []hashing.Claim {
	return slices.DeleteFunc(slices.Clone(claims), drop)
}

// Accepts returns a [*PolicyError] if a proof is not enough. Nil is a proof of nothing.
func (p Policy) Accepts(proof *hashing.Proof) error {
	var signer *hashing.Signer
	if proof != nil && proof.Authority >= hashing.Signed {
		signer = proof.Signer
	}
	switch {
	case signer == nil && p.Signers != nil:
		return &PolicyError{Rule: "Signers"}
	case signer == nil && p.RequireSignature:
		return &PolicyError{Rule: "RequireSignature"}
	case signer == nil:
		return nil
	case p.Signers != nil && !p.pins(signer):
		return &PolicyError{Rule: "Signers", Signer: signer}
	case p.RequireSignature && !p.trusts(signer):
		return &PolicyError{Rule: "RequireSignature", Signer: signer}
	case p.RejectExpired && !signer.ExpiredAt.IsZero():
		return &PolicyError{Rule: "RejectExpired", Signer: signer}
	}
	return nil
}

// trusts reports whether there is somebody but a mirror to vouch for the signer's key: the registry that offers it, or
// whoever pinned it.
func (p Policy) trusts(signer *hashing.Signer) bool { return !signer.Carried || p.pins(signer) }

func (p Policy) pins(signer *hashing.Signer) bool {
	return slices.ContainsFunc(p.Signers, func(text string) bool {
		fingerprint, err := hashing.ParseFingerprint(text)
		return err == nil && fingerprint == signer.Fingerprint
	})
}
