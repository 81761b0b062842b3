package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// parcel is a package that can be published, or is.
type parcel struct {
	archive   sources.Archive // without a Path: the target has it
	size      int64           // bytes that were fetched
	proof     *hashing.Proof
	statement *hashing.Statement // by which it is signed; nil: it is not
}

// request is the work on one package.
type request struct {
	*run
	provider sources.Provider
	version  sources.Version
	on       sources.Platform
	demand   *demand
	stored   hashing.Hash // zh of what the target has; "": nothing
}

// obtain makes sure that the package is in the target and right, or fetches it.
func (q *request) obtain(ctx context.Context) (*parcel, error) {
	if err := q.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer q.slots.Release(1)
	pkg, err := q.installer.Source.Package(ctx, q.provider, q.version, q.on)
	if err != nil {
		return nil, err
	}
	if q.stored != "" {
		p, err := q.present(ctx, pkg)
		if p != nil || err != nil {
			return p, err
		}
	}
	q.send(Event{Kind: EventFetching, Provider: q.provider, Version: q.version, Platform: q.on})
	p, err := q.fetch(ctx)
	if err != nil {
		return nil, err
	}
	q.send(Event{Kind: EventFetched, Provider: q.provider, Version: q.version, Platform: q.on, Bytes: p.size, Proof: p.proof})
	return p, nil
}

// present compares what the target has with what the source vouches for, without fetching it. Nil says that the comparison
// did not succeed: then the package is fetched, and the target decides what is wrong with its own.
func (q *request) present(ctx context.Context, pkg *sources.Package) (*parcel, error) {
	claims, err := claimsOf(ctx, pkg)
	if err != nil {
		return nil, err
	}
	computed := hashing.Computed{Archive: q.stored}
	proof, err := hashing.Judge(computed, nil, claims)
	var incomparable *hashing.UnverifiableError
	if errors.As(err, &incomparable) {
		proof, err = hashing.Judge(computed, nil, hashing.Claims{}) // nobody says anything about archives
	}
	if err != nil || q.installer.Policy.Accepts(proof) != nil {
		return nil, ctx.Err()
	}
	p := &parcel{archive: sources.Archive{Platform: q.on, Sum: q.stored}, proof: proof}
	if proof.Authority == hashing.Signed {
		p.statement = claims.Statement
	}
	if err := q.demand.hold(computed); err != nil {
		if p, err = q.reread(ctx, err); p == nil {
			return nil, err
		}
	}
	q.send(Event{Kind: EventPresent, Provider: q.provider, Version: q.version, Platform: q.on, Proof: p.proof})
	return p, nil
}

// Readable is a target that gives back what it has, so that it can be held to hashes of contents without being fetched.
// [github.com/purveyor-dev/purveyor/sources/fsmirror.Target] is one.
type Readable interface {
	// Archive returns the archive of a package that is [sources.Target.Stored]. Whether it is there shows when it is
	// opened.
	Archive(p sources.Provider, v sources.Version, on sources.Platform) sources.Opener
}

// reread computes the hashes that the lock file needs from the archive in the target. Nil says that this is of no use.
func (q *request) reread(ctx context.Context, problem error) (*parcel, error) {
	target, readable := q.target.(Readable)
	var unverifiable *hashing.UnverifiableError
	if !readable || !errors.As(problem, &unverifiable) {
		return nil, ctx.Err()
	}
	path := q.scratch.path(q.provider, q.version, q.on)
	p, err := q.fetchFrom(ctx, elsewhere{archive: target.Archive(q.provider, q.version, q.on), location: q.target.String()}, path)
	if failed := removed(path); failed != nil {
		return nil, failed
	}
	if err != nil || p.archive.Sum != q.stored {
		return nil, ctx.Err()
	}
	p.archive.Path = ""
	return p, nil
}

func claimsOf(ctx context.Context, pkg *sources.Package) (hashing.Claims, error) {
	if pkg.Claims == nil {
		return hashing.Claims{}, nil
	}
	return pkg.Claims(ctx)
}

// hold holds a package to the hashes of lock files. The error has that of [hashing.Judge].
func (d *demand) hold(computed hashing.Computed) error {
	for _, l := range d.locks {
		_, err := hashing.Judge(computed, l.hashes, hashing.Claims{})
		switch {
		case err != nil && l.origin != "":
			return fmt.Errorf("%s: %w", l.origin, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// fetch brings the archive to the scratch directory, verified.
func (q *request) fetch(ctx context.Context) (*parcel, error) {
	path := q.scratch.path(q.provider, q.version, q.on)
	p, err := q.reuse(ctx, path)
	if p == nil && err == nil {
		p, err = q.fetchWith(ctx, q.installer, path)
	}
	if err != nil {
		return nil, errors.Join(inner(err), removed(path))
	}
	return p, nil
}

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (q *request) fetchWith(ctx context.Context, in *installer.Installer, path string) (*parcel, error) {
	a, err := in.Fetch(ctx, q.provider, q.version, q.on, path)
	if err != nil {
		return nil, err
	}
	if err := q.demand.hold(a.Proof.Computed); err != nil {
		return nil, err
	}
	return &parcel{archive: a.Publishable(), size: a.Size, proof: a.Proof, statement: a.Statement}, nil
}

// reuse takes the archive that a killed build has left, if the source vouches for these bytes. It goes the same way as one
// that comes from the source: all that is to be verified is verified. Nil says that there is none.
func (q *request) reuse(ctx context.Context, path string) (*parcel, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, nil
	}
	p, err := q.fetchFrom(ctx, elsewhere{archive: openLeftover(path), location: path}, path)
	if err != nil || p.proof.Authority < hashing.Reported {
		return nil, ctx.Err()
	}
	return p, nil
}

func openLeftover(path string) sources.Opener {
	return sources.OpenFunc(func(context.Context) (io.ReadCloser, int64, error) {
		file, err := os.Open(path)
		return file, -1, err
	})
}

// fetchFrom takes the archive from somewhere else than the source, which says what it has to be.
func (q *request) fetchFrom(ctx context.Context, from elsewhere, path string) (*parcel, error) {
	in := *q.installer
	from.Source, in.Source = in.Source, &from
	in.Notify, in.Logger = nil, nil // nothing is downloaded, and that it is of no use is no failure
	p, err := q.fetchWith(ctx, &in, path)
	if err != nil {
		return nil, err
	}
	p.size = 0
	return p, nil
}

// elsewhere is a source whose package is here.
type elsewhere struct {
	sources.Source
	archive  sources.Opener
	location string
}

// Package implements [sources.Source].
func (e *elsewhere) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := e.Source.Package(ctx, p, v, on)
	if err != nil {
		return nil, err
	}
	own := *pkg
	own.Location, own.Content = e.location, sources.Content{Archive: e.archive}
	return &own, nil
}
