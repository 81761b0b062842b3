package hashing_test

import (
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
)

func TestProofsAreReadable(t *testing.T) {
	t.Parallel()
	signer := hashing.Signer{Fingerprint: "AB12", Identity: "Acme"}
	nameless, late := signer, signer
	nameless.Identity, nameless.Carried = "", true
	late.ExpiredAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, p := range map[string]hashing.Proof{
		"unverified":                       {},
		"as locked":                        {Locked: true},
		"as its source reports":            {Authority: hashing.Reported},
		"as locked, as its source reports": {Authority: hashing.Reported, Locked: true},
		"signed by Acme, key AB12":         {Authority: hashing.Signed, Signer: &signer},
		"as locked, signed by key AB12 (which came with the package)": {Authority: hashing.Signed, Signer: &nameless, Locked: true},
		"signed by Acme, key AB12, expired on 2026-01-02":             {Authority: hashing.Signed, Signer: &late},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
