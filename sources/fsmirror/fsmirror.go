package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// Source reads one filesystem mirror. It keeps nothing in memory: what is added to the directory is there at the next
// question.
type Source struct {
	dir string
}

// New returns the source for a directory. A relative one is relative to the process's working directory at the time of
// each question, as it is for the clients. The directory need not exist.
func New(dir string) *Source { return &Source{dir: dir} }

// String returns "filesystem mirror DIR".
func (s *Source) String() string { return "filesystem mirror " + s.dir }

var _ sources.Source = (*Source)(nil)

// Versions implements [sources.Source]. The error is a [*sources.Error], around a [*MissingError] if the mirror's directory
// does not exist.
func (s *Source) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	found, err := s.find(ctx, p)
	if err != nil {
		return s.warning(err), &sources.Error{Op: "list versions", Source: s.String(), Provider: p, Err: err}
	}
	return listing(found), nil
}

// listing gathers packages by version.
func listing(found []located) sources.Listing {
	var l sources.Listing
	for _, pkg := range found {
		i := slices.IndexFunc(l.Versions, func(a sources.Available) bool { return a.Version == pkg.version })
		if i < 0 {
			i = len(l.Versions)
			l.Versions = append(l.Versions, sources.Available{Version: pkg.version})
		}
		if !slices.Contains(l.Versions[i].Platforms, pkg.platform) {
			l.Versions[i].Platforms = append(l.Versions[i].Platforms, pkg.platform)
		}
	}
	return l
}

// warning goes with absence when the whole mirror is absent, since that is rarely meant.
func (s *Source) warning(err error) sources.Listing {
	var missing *MissingError
	if !errors.As(err, &missing) {
		return sources.Listing{}
	}
	return sources.Listing{Warnings: []string{missing.Error()}}
}

// MissingError says that the mirror's directory does not exist. It matches [sources.ErrNotFound].
type MissingError struct {
	Dir string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the filesystem mirror %s does not exist; it counts as empty", e.Dir)
}

// Is makes the error one of absence.
func (e *MissingError) Is(target error) bool { return target == sources.ErrNotFound }

// Package implements [sources.Source]. The error is one as for Versions, or a [*sources.Error] around a
// [*sources.PlatformError]. That of claims joins one for each statement: a *signature.Error (package hashing/signature), a
// [*hashing.SumsError], a [*hashing.MismatchError], or that of reading it.
func (s *Source) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := s.describe(ctx, p, v, on)
	if err != nil {
		return nil, &sources.Error{Op: "describe package", Source: s.String(), Provider: p, Version: v, Platform: on, Err: err}
	}
	return pkg, nil
}

func (s *Source) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	found, err := s.find(ctx, p)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(pkg located) bool { return pkg.version != v })
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: there is no version %s", sources.ErrNotFound, v)
	}
	i := slices.IndexFunc(found, func(pkg located) bool { return pkg.platform == on })
	if i < 0 {
		available := slices.SortedFunc(slices.Values(listing(found).Versions[0].Platforms), sources.Platform.Compare)
		return nil, &sources.PlatformError{Platform: on, Available: available}
	}
	content, err := found[i].content()
	if err != nil {
		return nil, err
	}
	pkg := &sources.Package{Provider: p, Version: v, Platform: on, Location: found[i].path, Content: content}
	if found[i].packed {
		err = s.addClaims(pkg)
	}
	return pkg, err
}

// addClaims looks for statements about a packed package. It does so after the package was found, and they are written
// before a package is: whoever finds a new package finds its statement.
func (s *Source) addClaims(pkg *sources.Package) error {
	statements, err := statementsIn(filepath.Dir(pkg.Location), pkg.Provider, pkg.Version)
	if err != nil || len(statements) == 0 {
		return err
	}
	release := signed.Release{Provider: pkg.Provider, Version: pkg.Version, Platform: pkg.Platform}
	pkg.Claims = func(ctx context.Context) (hashing.Claims, error) { return vouched(ctx, statements, release) }
	return nil
}

// located is a package and where it is.
type located struct {
	version  sources.Version
	platform sources.Platform
	path     string
	packed   bool
}

func (l located) content() (sources.Content, error) {
	if l.packed {
		return sources.Content{Archive: sources.OpenFunc(l.open)}, nil
	}
	dir, err := filepath.Abs(l.path)
	return sources.Content{Dir: dir}, err
}

func (l located) open(ctx context.Context) (io.ReadCloser, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	file, info, err := plainfile.Open(l.path)
	if err != nil {
		return nil, 0, err
	}
	return &archive{ctx: ctx, file: file}, info.Size(), nil
}

// archive is a file whose reading ends with a context.
type archive struct {
	ctx  context.Context // of Open, as sources.Opener prescribes
	file fs.File
}

func (a *archive) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.file.Read(p)
}

func (a *archive) Close() error { return a.file.Close() }
