package mirrorjson

import (
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// Vouched returns what a statement that came with a package claims, and with it what the mirror reports. The error is that
// of [signed.Carried] or of [Merge].
func Vouched(statement *hashing.Statement, r signed.Release, reported hashing.Claims) (hashing.Claims, error) {
	claims, err := signed.Carried(statement, r)
	if err != nil {
		return hashing.Claims{}, err
	}
	return Merge(claims, reported)
}

// Merge adds what a mirror reports to what the statement claims that came with it. A hash of an archive that contradicts
// the statement is a [*hashing.MismatchError].
func Merge(claims, reported hashing.Claims) (hashing.Claims, error) {
	archives := make(map[string][]hashing.Hash) // by platform
	for _, c := range slices.Concat(claims.Package, claims.Others) {
		if c.Platform != "" {
			archives[c.Platform] = append(archives[c.Platform], c.Hash)
		}
	}
	var err error
	if claims.Package, err = join(claims.Package, reported.Package, archives); err != nil {
		return hashing.Claims{}, err
	}
	if claims.Others, err = join(claims.Others, reported.Others, archives); err != nil {
		return hashing.Claims{}, err
	}
	return claims, nil
}

func join(claims, reported []hashing.Claim, archives map[string][]hashing.Hash) ([]hashing.Claim, error) {
	for _, c := range reported {
		want := archives[c.Platform]
		switch {
		case c.Hash.Scheme() != hashing.SchemeZH || len(want) == 0:
			claims = append(claims, c)
		case !slices.Contains(want, c.Hash):
			return nil, &hashing.MismatchError{By: hashing.BySums, Want: want, Got: []hashing.Hash{c.Hash}}
		}
	}
	return claims, nil
}
