package netmirror

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// voucher finds out what the origin's statement about a package claims, which the mirror has kept.
type voucher struct {
	source   *Source
	release  signed.Release
	parts    []*url.URL // the checksums, the signature, and the keys
	reported hashing.Claims
}

// newVoucher resolves what the mirror's document refers to. Its errors say what is wrong with the document.
func (s *Source) newVoucher(pkg *sources.Package, document *url.URL, statement *mirrorjson.Statement, reported hashing.Claims) (*voucher, error) {
	if err := statement.Check(); err != nil {
		return nil, err
	}
	w := &voucher{
		source:   s,
		release:  signed.Release{Provider: pkg.Provider, Version: pkg.Version, Platform: pkg.Platform},
		reported: reported,
	}
	for _, text := range statement.Parts() {
		reference, err := url.Parse(text)
		if err != nil {
			return nil, errors.New("what the origin's statement refers to is not a URL") // the parser's error would repeat it
		}
		w.parts = append(w.parts, document.ResolveReference(reference))
	}
	return w, nil
}

// claims implements the Claims field of [sources.Package]. A statement that another package of the version has brought
// already is used again; if it does not fit, the mirror may have changed since, and it is fetched once more.
func (w *voucher) claims(ctx context.Context) (hashing.Claims, error) {
	remembered := true
	fetch := func(ctx context.Context) (*hashing.Statement, error) {
		remembered = false
		return mirrorjson.FetchStatement(ctx, w.parts, w.source.fetchPart)
	}
	statement, err := w.source.statements.Get(ctx, w.key(), fetch)
	if err != nil {
		return hashing.Claims{}, err
	}
	claims, err := w.examine(statement)
	if err == nil || !remembered {
		return claims, err
	}
	w.source.statements.Forget(w.key())
	if statement, err = w.source.statements.Get(ctx, w.key(), fetch); err != nil {
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
	claims, err := mirrorjson.Vouched(statement, w.release, w.reported)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("%s: %w", web.Redact(w.parts[0]), err)
	}
	return claims, nil
}

func (s *Source) fetchPart(ctx context.Context, part *url.URL, limit int64) ([]byte, error) {
	token, err := s.ownToken(ctx, part)
	if err != nil {
		return nil, err
	}
	doc, err := s.web.Get(ctx, web.Get{URL: part, Token: token, Limit: limit})
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}

// ownToken returns the credentials for the mirror's own origin, and none for others.
func (s *Source) ownToken(ctx context.Context, u *url.URL) (string, error) {
	if web.Origin(u) != web.Origin(s.base) {
		return "", nil
	}
	return remote.Token(ctx, s.config.Credentials, u, sources.Host{})
}
