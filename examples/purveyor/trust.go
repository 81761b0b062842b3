package main

import "flag"

// policyFlags say what is accepted.
func (s *session) policyFlags(set *flag.FlagSet) {
	set.BoolVar(&s.policy.RequireSignature, "require-signature", false, "accept only packages that are signed")
	repeated(set, "signer", "accept only packages signed by the key with this `FINGERPRINT` of 40 or 64 digits; can be repeated", &s.policy.Signers)
}
