package bundle

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// VerifyOptions says what a bundle has to be. The zero value asks for no signatures; where there are some, one must hold
// even so.
type VerifyOptions struct {
	// Signers are the fingerprints of the only primary keys that are accepted: 40 or 64 hexadecimal digits, spaces and
	// case do not matter. Every package must be signed by one of them. Nil: any key, or none.
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
// signed by an accepted key. Of several, the first that hold for the package count, as they do for the installer.
//
// The error joins one for each thing that is wrong, up to about [MaxProblems]: a [*FileError], a [*SignerError], a
// [*sources.Error], or that of a signature. There is a report even so.
func (b *Bundle) Verify(ctx context.Context, options VerifyOptions) (*Report, error) {
	audit, err := b.layout.Audit(ctx)
	report := &Report{Blobs: audit.Blobs, Bytes: audit.Bytes, Unknown: audit.Unknown, Trailing: audit.Trailing}
	for _, d := range audit.Unreferenced {
		report.Unreferenced = append(report.Unreferenced, d.String())
	}
	if err != nil {
		return report, b.fileErrors(err)
	}
	if report.Items, report.Foreign, err = b.contents(ctx); err != nil {
		return report, err
	}
	var problems []error
	for i := range report.Items {
		if err := b.verify(ctx, &report.Items[i], options); err != nil {
			problems = append(problems, err)
		}
		if len(problems) == MaxProblems || ctx.Err() != nil {
			break
		}
	}
	return report, errors.Join(append(problems, ctx.Err())...)
}

// fileErrors turns each of joined errors into one about the file.
func (b *Bundle) fileErrors(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fileError(b.name, err)
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, fileError(b.name, one))
	}
	return errors.Join(all...)
}

// verify checks the packages of a version.
func (b *Bundle) verify(ctx context.Context, item *Item, options VerifyOptions) error {
	var all []*hashing.Signer
	for _, on := range item.Platforms {
		signer, err := b.signer(ctx, item, on)
		if err != nil {
			return err
		}
		if !options.accept(signer) {
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
		return nil, sourceError(sources.Error{Op: "verify package", Source: b.String(), Provider: item.Provider, Version: item.Version, Platform: on, Err: err})
	}
	return claims.Signer, nil
}

func (o VerifyOptions) accept(signer *hashing.Signer) bool {
	if o.Signers == nil {
		return true
	}
	return signer != nil && slices.ContainsFunc(o.Signers, func(text string) bool {
		return strings.EqualFold(strings.Join(strings.Fields(text), ""), signer.Fingerprint)
	})
}
