package signed

import (
	"fmt"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Carried verifies a statement that came with a package through a mirror, and returns what it claims. The claims are
// [hashing.Signed], and the signer is marked as [hashing.Signer.Carried]. Others are what the signature covers.
//
// The package is recognised by its usual name, whatever the mirror calls it, and by the archive's hash where the mirror
// states one. The error is that of [Verify] or of [Document.Claims]: there is no way to less than Signed.
func Carried(statement *hashing.Statement, r Release) (hashing.Claims, error) {
	r.Filename = ""
	claims, err := carried(statement, r)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("the signed checksums that came through the mirror, for %s: %w",
			sources.ArchiveName(r.Provider, r.Version, r.Platform), err)
	}
	return claims, nil
}

func carried(statement *hashing.Statement, r Release) (hashing.Claims, error) {
	doc, err := Verify(statement)
	if err != nil {
		return hashing.Claims{}, err
	}
	doc.signer.Carried = true
	claims, err := doc.Claims(r)
	if err != nil {
		return hashing.Claims{}, err
	}
	claims.Others = slices.DeleteFunc(claims.Others, func(c hashing.Claim) bool { return c.Authority < hashing.Signed })
	return claims, nil
}
