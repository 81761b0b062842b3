package mirrorjson

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/memo"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// Vouchers find out what is claimed about the packages of a mirror. The packages of a version share a statement, which is
// fetched once. Both functions are required; they are called concurrently.
type Vouchers struct {
	// Resolve returns the place that a document refers to. Its error says what the reference is, such as "is not a URL".
	Resolve func(document *url.URL, reference string) (*url.URL, error)

	// Fetch returns a part of a statement, up to a limit in bytes.
	Fetch func(ctx context.Context, part *url.URL, limit int64) ([]byte, error)

	statements memo.Map[string, *hashing.Statement] // by the URLs of their parts
}

// Claims returns the Claims field of a package, given the document about its version, and what the mirror reports: nil if
// nobody vouches for anything. The error says what is wrong with the document.
func (s *Vouchers) Claims(pkg *sources.Package, document *url.URL, statement *Statement, reported hashing.Claims) (func(context.Context) (hashing.Claims, error), error) {
	if statement != nil {
		w, err := s.newVoucher(pkg, document, statement, reported)
		if err != nil {
			return nil, err
		}
		return w.claims, nil
	}
	if len(reported.Package)+len(reported.Others) == 0 {
		return nil, nil
	}
	return func(ctx context.Context) (hashing.Claims, error) { return reported, ctx.Err() }, nil
}

// voucher finds out what the origin's statement about a package claims, which the mirror has kept.
type voucher struct {
	*Vouchers
	release  signed.Release
	parts    []*url.URL // the checksums, the signature, and the keys
	reported hashing.Claims
}

func (s *Vouchers) newVoucher(pkg *sources.Package, document *url.URL, statement *Statement, reported hashing.Claims) (*voucher, error) {
	if err := statement.Check(); err != nil {
		return nil, err
	}
	w := &voucher{
		Vouchers: s,
		release:  signed.Release{Provider: pkg.Provider, Version: pkg.Version, Platform: pkg.Platform},
		reported: reported,
	}
	for _, reference := range statement.Parts() {
		part, err := s.Resolve(document, reference)
		if err != nil {
			return nil, fmt.Errorf("what the origin's statement refers to %w", err)
		}
		w.parts = append(w.parts, part)
	}
	return w, nil
}

// claims implements the Claims field of [sources.Package]. A statement that another package of the version has brought
// already is used again; if it does not fit, the mirror may have changed since, and it is fetched once more.
func (w *voucher) claims(ctx context.Context) (hashing.Claims, error) {
	remembered := true
	fetch := func(ctx context.Context) (*hashing.Statement, error) {
		remembered = false
		return FetchStatement(ctx, w.parts, w.Fetch)
	}
	statement, err := w.statements.Get(ctx, w.key(), fetch)
	if err != nil {
		return hashing.Claims{}, err
	}
	claims, err := w.examine(statement)
	if err == nil || !remembered {
		return claims, err
	}
	w.statements.Forget(w.key())
	if statement, err = w.statements.Get(ctx, w.key(), fetch); err != nil {
		return hashing.Claims{}, err
	}
	return w.examine(statement)
}

func (w *voucher) key() string {
	var key strings.Builder
	for _, part := range w.parts {
		fmt.Fprintln(&key, part)
	}
	return key.String()
}

// examine verifies the statement, and compares with it what the mirror reports.
func (w *voucher) examine(statement *hashing.Statement) (hashing.Claims, error) {
	claims, err := Vouched(statement, w.release, w.reported)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("%s: %w", web.Redact(w.parts[0]), err)
	}
	return claims, nil
}
