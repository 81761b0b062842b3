package sources

import (
	"context"
	"errors"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/memo"
)

// Memo returns a source that asks s each question at most once and remembers the answers for its own lifetime, the
// claims of packages included. Errors, absence among them, are not remembered. While one caller asks, others with the
// same question wait for its answer; if the asker's context ends, one of them asks in its place.
func Memo(s Source) Source { return &memoSource{source: s} }

type memoSource struct {
	source   Source
	listings memo.Map[Provider, Listing]
	packages memo.Map[packageKey, *Package]
}

// errNoPackage is for sources that break their contract.
var errNoPackage = errors.New("the source returned neither a package nor an error")

type packageKey struct {
	provider Provider
	version  Version
	platform Platform
}

func (m *memoSource) Versions(ctx context.Context, p Provider) (Listing, error) {
	listing, err := m.listings.Get(ctx, p, func(ctx context.Context) (Listing, error) {
		return m.source.Versions(ctx, p)
	})
	return listing.clone(), err
}

// clone copies all slices, so that no caller can change another's answer.
func (l Listing) clone() Listing {
	own := Listing{Versions: slices.Clone(l.Versions), Warnings: slices.Clone(l.Warnings), Asked: slices.Clone(l.Asked)}
	for i := range own.Versions {
		a := &own.Versions[i]
		a.Platforms, a.Protocols, a.From = slices.Clone(a.Platforms), slices.Clone(a.Protocols), slices.Clone(a.From)
	}
	for i := range own.Asked {
		own.Asked[i].Versions = slices.Clone(own.Asked[i].Versions)
	}
	return own
}

func (m *memoSource) Package(ctx context.Context, p Provider, v Version, on Platform) (*Package, error) {
	pkg, err := m.packages.Get(ctx, packageKey{p, v, on}, func(ctx context.Context) (*Package, error) {
		pkg, err := m.source.Package(ctx, p, v, on)
		switch {
		case err != nil:
			return nil, err
		case pkg == nil:
			return nil, errNoPackage
		case pkg.Claims == nil:
			return pkg, nil
		}
		remembering := *pkg
		remembering.Claims = rememberClaims(pkg.Claims)
		return &remembering, nil
	})
	if err != nil {
		return nil, err
	}
	own := *pkg
	own.Protocols = slices.Clone(pkg.Protocols)
	return &own, nil
}

func rememberClaims(fetch func(context.Context) (hashing.Claims, error)) func(context.Context) (hashing.Claims, error) {
	var claims memo.Map[struct{}, hashing.Claims]
	return func(ctx context.Context) (hashing.Claims, error) {
		got, err := claims.Get(ctx, struct{}{}, fetch)
		got.Package = slices.Clone(got.Package)
		got.Others = slices.Clone(got.Others)
		if got.Signer != nil {
			signer := *got.Signer
			got.Signer = &signer
		}
		return got, err
	}
}

func (m *memoSource) String() string { return m.source.String() }

var _ Source = (*memoSource)(nil)
