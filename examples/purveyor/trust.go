package main

import (
	"flag"
	"fmt"

	"github.com/purveyor-dev/purveyor/hashing"
)

// policyFlags say what is accepted.
func (s *session) policyFlags(set *flag.FlagSet) {
	set.BoolVar(&s.policy.RequireSignature, "require-signature", false, "accept only packages that are signed")
	signerFlag(set, "accept only packages signed by the key with this `FINGERPRINT` of 40 or 64 digits; can be repeated", &s.policy.Signers)
}

// signerFlag declares -signer. The 16 digits that a table has are not enough: anybody can make a key that ends in them.
func signerFlag(set *flag.FlagSet, usage string, signers *[]string) {
	set.Func("signer", usage, func(text string) error {
		fingerprint, err := hashing.ParseFingerprint(text)
		if err != nil {
			return fmt.Errorf(`%q is not a fingerprint of 40 or 64 digits; "purveyor install -json" prints it as "key"`, text)
		}
		*signers = append(*signers, fingerprint)
		return nil
	})
}
