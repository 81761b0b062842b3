package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// VerifyOptions says what a bundle has to be. The zero value asks for no signatures; where there are some, one must hold
// even so.
type VerifyOptions struct {
	// Signers are the fingerprints of the only primary keys that are accepted: 40 or 64 hexadecimal digits, spaces and
	// case do not matter. Every package must be signed by one of them, so that without any but not nil nothing is accepted.
	// Nil: any key, or none.
	Signers []string
}

// Report says what a bundle consists of.
type Report struct {
	Items []Item // the versions; those that a signature holds for have a Signer
	Blobs int    // that were read, and are what their digests say
	Bytes int64  // of them

	// What follows is no error, but nothing that a [Writer] makes.
	Foreign      []string // names in the index that are not those of a provider's version
	Unreferenced []string // digests of blobs that nothing leads to
	Unknown      []string // files that have no place in an OCI image layout
	Trailing     int64    // bytes after the end of the archive, if they are not all zero
}

// Verify reads all of a bundle. Each blob is what its digest says, all that any document leads to is there, each package
// of each version is as it should be, and if the version has signed checksums, some of them hold for the package, and are
// signed by an accepted key. Of several, the first that hold for the package count, as they do for the installer. Keys and
// signatures that have expired since count: Item.Signer.ExpiredAt tells.
//
// The error joins one for each thing that is wrong, up to about [MaxProblems]: a [*FileError], a [*SignerError], or a
// [*sources.Error], which has that of a signature in it. There is a report even so; but if options cannot be met by any
// bundle, the error is a [*sources.FieldError], nothing is read, and there is none.
func (b *Bundle) Verify(ctx context.Context, options VerifyOptions) (*Report, error) {
	accepted, err := options.accepted()
	if err != nil {
		return nil, err
	}
	audit, err := b.layout.Audit(ctx)
	report := &Report{Blobs: audit.Blobs, Bytes: audit.Bytes, Unknown: audit.Unknown, Trailing: audit.Trailing}
	for _, d := range audit.Unreferenced {
		report.Unreferenced = append(report.Unreferenced, d.String())
	}
	if err != nil {
		return report, b.unverified(err)
	}
	if report.Items, report.Foreign, err = b.contents(ctx); err != nil {
		return report, b.failure(opVerify, err)
	}
	var problems []error
	for i := range report.Items {
		if err := b.verify(ctx, &report.Items[i], accepted); err != nil {
			problems = append(problems, err)
		}
		if len(problems) == MaxProblems || ctx.Err() != nil {
			break
		}
	}
	return report, errors.Join(append(problems, b.failure(opVerify, ctx.Err()))...)
}

// unverified turns each of joined errors into one about the bundle.
func (b *Bundle) unverified(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return b.failure(opVerify, err)
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, b.failure(opVerify, one))
	}
	return errors.Join(all...)
}

// verify checks the packages of a version.
func (b *Bundle) verify(ctx context.Context, item *Item, accepted signers) error {
	var all []*hashing.Signer
	for _, on := range item.Platforms {
		signer, err := b.signer(ctx, item, on)
		if err != nil {
			return err
		}
		if !accepted.have(signer) {
			return &SignerError{Bundle: b.name, Provider: item.Provider, Version: item.Version, Platform: on, Signer: signer}
		}
		all = append(all, signer)
	}
	item.Signer = common(all)
	return nil
}

// common returns the signer that all are; nil if there is none.
func common(all []*hashing.Signer) *hashing.Signer {
	if len(all) == 0 || slices.ContainsFunc(all, func(s *hashing.Signer) bool { return s == nil || s.Fingerprint != all[0].Fingerprint }) {
		return nil
	}
	return all[0]
}

// signer returns who has signed a package; nil for nobody. That the archive is the one that was signed shows in the digest
// of its blob, which was read before.
func (b *Bundle) signer(ctx context.Context, item *Item, on sources.Platform) (*hashing.Signer, error) {
	pkg, err := b.Package(ctx, item.Provider, item.Version, on)
	if err != nil {
		return nil, err
	}
	claims, err := pkg.Claims(ctx)
	if err != nil {
		return nil, sourceError(sources.Error{Op: opVerify, Source: b.String(), Provider: item.Provider, Version: item.Version, Platform: on, Err: err})
	}
	return claims.Signer, nil
}

// signers are the fingerprints of the keys that are accepted, in normal form. Nil: any key, or none.
type signers []string

// accepted reads the fingerprints.
func (o VerifyOptions) accepted() (signers, error) {
	if o.Signers == nil {
		return nil, nil
	}
	all := make(signers, len(o.Signers))
	for i, text := range o.Signers {
		var err error
		if all[i], err = hashing.ParseFingerprint(text); err != nil {
			return nil, &sources.FieldError{Field: fmt.Sprintf("VerifyOptions.Signers[%d]", i), Problem: err.Error()}
		}
	}
	return all, nil
}

func (all signers) have(signer *hashing.Signer) bool {
	return all == nil || signer != nil && slices.Contains(all, signer.Fingerprint)
}
