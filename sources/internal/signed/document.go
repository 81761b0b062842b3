package signed

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
)

// The largest statement.
const (
	MaxSums      = hashing.MaxSumsBytes        // size of the SHA256SUMS document, in bytes
	MaxSignature = signature.MaxSignatureBytes // size of the signature, in bytes
	MaxKeys      = signature.MaxKeys           // number of keys
	MaxKey       = signature.MaxKeyBytes       // size of one key, ASCII-armored, in bytes
)

// Document is a SHA256SUMS document that was read, and whose signature was verified if it has one.
type Document struct {
	Sums hashing.Sums

	signer    *hashing.Signer // nil: nobody
	statement *hashing.Statement
}

// Verify reads a document that one of the statement's keys has signed. The error is a [*signature.Error] or a
// [*hashing.SumsError].
func Verify(statement *hashing.Statement) (*Document, error) {
	signer, err := signature.Verify(statement.Sums, statement.Signature, statement.Keys, time.Time{})
	if err != nil && !(errors.Is(err, signature.ErrExpired) && signer != nil) {
		return nil, err
	}
	doc, err := Read(statement.Sums)
	if err != nil {
		return nil, err
	}
	doc.signer, doc.statement = signer, statement
	return doc, nil
}

// Read reads a document that nobody has signed: what it says is only reported. The error is a [*hashing.SumsError].
func Read(sums []byte) (*Document, error) {
	parsed, err := hashing.ParseSums(sums)
	if err != nil {
		return nil, err
	}
	return &Document{Sums: parsed}, nil
}

// Claims returns what the document says about a package and, as Others, about everything else that it lists. The error
// matches [sources.ErrMalformed] if the package is not listed, and is a [*hashing.MismatchError] if it is listed with
// another sum.
func (d *Document) Claims(r Release) (hashing.Claims, error) {
	claims := hashing.Claims{Signer: d.signer, Statement: d.statement}
	for _, sum := range d.Sums {
		claim := hashing.Claim{Hash: sum.Hash, Authority: d.weigh(r, sum.Filename), Platform: PlatformOf(sum.Filename)}
		if r.is(sum.Filename) {
			claim.Platform = r.Platform.String()
			claims.Package = append(claims.Package, claim)
		} else {
			claims.Others = append(claims.Others, claim)
		}
	}
	if err := r.check(claims.Package); err != nil {
		return hashing.Claims{}, err
	}
	return claims, nil
}

// weigh says on what authority the sum of a file is believed.
func (d *Document) weigh(r Release, filename string) hashing.Authority {
	switch {
	case d.signer == nil, !r.covers(filename):
		return hashing.Reported
	case r.is(filename) && PlatformOf(filename) != r.Platform.String():
		return hashing.Reported
	}
	return hashing.Signed
}

// check compares what the document says about the package with what its source says.
func (r Release) check(listed []hashing.Claim) error {
	if len(listed) == 0 {
		return fmt.Errorf("%w: the SHA256SUMS document does not list the file", sources.ErrMalformed)
	}
	var want []hashing.Hash
	for _, claim := range listed {
		want = append(want, claim.Hash)
	}
	if r.Archive == "" || slices.Contains(want, r.Archive) {
		return nil
	}
	slices.Sort(want)
	return &hashing.MismatchError{By: hashing.BySums, Want: slices.Compact(want), Got: []hashing.Hash{r.Archive}}
}
