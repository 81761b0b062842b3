package main

import (
	"flag"

	"github.com/purveyor-dev/purveyor/installer"
)

// policyFlags say what is accepted.
func policyFlags(set *flag.FlagSet, p *installer.Policy) {
	set.BoolVar(&p.RequireSignature, "require-signature", false, "accept only packages that are signed")
	set.Func("signer", "accept only packages signed by the key with this `FINGERPRINT`; can be repeated", func(text string) error {
		p.Signers = append(p.Signers, text)
		return nil
	})
}
