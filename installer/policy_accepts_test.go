package installer_test

import (
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
)

// A policy judges proofs without a package, too: for those who build mirrors.
func TestPolicyAccepts(t *testing.T) {
	t.Parallel()
	const ours, theirs = "AAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBBBBB", "CCCCCCCCCCCCCCCCCCCCDDDDDDDDDDDDDDDDDDDD"
	unsigned, reported := &hashing.Proof{}, &hashing.Proof{Authority: hashing.Reported}
	by := func(s hashing.Signer) *hashing.Proof {
		s.Fingerprint = ours
		return &hashing.Proof{Authority: hashing.Signed, Signer: &s}
	}
	vouched, carried := by(hashing.Signer{}), by(hashing.Signer{Carried: true})
	expired := by(hashing.Signer{ExpiredAt: time.Unix(1, 0)})
	pinned := []string{theirs, "aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb"}
	for i, test := range []struct {
		policy installer.Policy
		proof  *hashing.Proof
		want   bool
	}{
		{installer.Policy{}, unsigned, true},
		{installer.Policy{}, nil, true},
		{installer.Policy{RequireSignature: true}, nil, false},
		{installer.Policy{Signers: pinned}, nil, false},
		{installer.Policy{}, expired, true},
		{installer.Policy{RejectExpired: true}, reported, true},
		{installer.Policy{RejectExpired: true}, carried, true},
		{installer.Policy{RejectExpired: true}, expired, false},
		{installer.Policy{RejectExpired: true, Signers: pinned}, expired, false},
		{installer.Policy{RequireSignature: true}, reported, false},
		{installer.Policy{RequireSignature: true}, vouched, true},
		{installer.Policy{RequireSignature: true}, carried, false},
		{installer.Policy{RequireSignature: true, Signers: pinned}, carried, true},
		{installer.Policy{Signers: []string{}}, vouched, false},
		{installer.Policy{Signers: []string{theirs}}, vouched, false},
		{installer.Policy{Signers: pinned}, vouched, true},
		{installer.Policy{Signers: pinned}, unsigned, false},
		{installer.Policy{Signers: pinned}, &hashing.Proof{Authority: hashing.Signed}, false},
	} {
		if err := test.policy.Accepts(test.proof); (err == nil) != test.want {
			t.Errorf("%d: %v", i, err)
		}
	}
}
