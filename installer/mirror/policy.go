package mirror

import (
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
)

// satisfies reports whether a proof is certainly enough for a policy. Where it is not certain the package is fetched, and the
// installer decides: this must never accept what it would not.
func satisfies(policy installer.Policy, proof *hashing.Proof) bool {
	signer := proof.Signer
	if proof.Authority < hashing.Signed || signer == nil {
		return !policy.RequireSignature && policy.Signers == nil
	}
	pinned := slices.ContainsFunc(policy.Signers, func(text string) bool {
		return strings.EqualFold(strings.Join(strings.Fields(text), ""), signer.Fingerprint)
	})
	switch {
	case policy.RejectExpired && !signer.ExpiredAt.IsZero():
		return false
	case policy.Signers != nil:
		return pinned
	}
	return !policy.RequireSignature || !signer.Carried
}
