package fsmirror

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// Target writes packages into a directory, packed and with the JSON indexes of a network mirror. It is safe for concurrent
// use, also with other targets for the same directory, in this process and elsewhere.
type Target struct {
	dir    string
	ledger ledger
}

// NewTarget returns the target for a directory. A relative one is relative to the process's working directory at the time
// of each call. The directory need not exist.
func NewTarget(dir string) *Target { return &Target{dir: dir} }

// String returns "filesystem mirror DIR".
func (t *Target) String() string { return New(t.dir).String() }

// Push publishes a release. What is there already is neither copied again nor changed, so that a release which was cut off
// is completed by publishing it again; the packages of other platforms stay. Nothing becomes visible before all
// packages have arrived and been verified; then they appear in the directory one after the other, and the indexes list all
// of them or none.
//
// The error is a [*sources.Error]. A release that has been published is not replaced: another archive for the same
// platform is a [*sources.ConflictError]. Archives are hashed in their copies: a file that is not the one that was verified
// is a [*hashing.MismatchError]. A statement that does not verify is a *signature.Error (package hashing/signature) or a
// [*hashing.SumsError]; one that leaves out or contradicts a package of the version is a [*sources.StatementError]. A release
// that [sources.Release.Check] refuses, an archive without a Path that is not there, or a provider that the system can have
// no directory for, is a [*sources.ReleaseError]. An index that cannot be read, or a statement that is there and does not
// verify, is a [*FileError].
func (t *Target) Push(ctx context.Context, r sources.Release) (*sources.Pushed, error) {
	pushed, err := t.push(ctx, &r)
	if err != nil {
		return nil, t.failure("publish packages", r.Provider, r.Version, err)
	}
	return pushed, nil
}

func (t *Target) push(ctx context.Context, r *sources.Release) (pushed *sources.Pushed, err error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	dir, err := t.home(r.Provider)
	if err != nil {
		return nil, &sources.ReleaseError{Field: "Provider", Problem: "cannot be here: " + err.Error(), Err: err}
	}
	s, err := openShelf(ctx, dir, r.Provider)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	p := &push{shelf: s, ledger: &t.ledger, release: r, pushed: sources.Pushed{Address: dir}}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return &p.pushed, nil
}

// Stored returns which packages of a version the directory has in their usual places, with the zh hashes of what these
// files are now: what need not be fetched to be published. They may still lack their entries in the indexes, which [Target.Push]
// adds. An empty result says that there is nothing. The error is a [*sources.Error].
func (t *Target) Stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	stored, err := t.stored(ctx, p, v)
	if err != nil {
		return nil, t.failure("list packages", p, v, err)
	}
	return stored, nil
}

func (t *Target) stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	dir, err := t.home(p)
	if err != nil {
		return nil, err
	}
	files, err := packedFiles(dir, p, v)
	if err != nil {
		return nil, err
	}
	stored := make(map[sources.Platform]hashing.Hash)
	for on, name := range files {
		if name != sources.ArchiveName(p, v, on) {
			continue
		}
		sum, err := t.ledger.hash(ctx, filepath.Join(dir, name))
		switch {
		case err == nil:
			stored[on] = sum
		case !errors.Is(err, fs.ErrNotExist): // it was removed just now
			return nil, err
		}
	}
	return stored, nil
}

// Archive returns the archive of a package in its usual place. Whether there is one shows when it is opened.
func (t *Target) Archive(p sources.Provider, v sources.Version, on sources.Platform) sources.Opener {
	return sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		dir, err := t.home(p)
		if err != nil {
			return nil, 0, err
		}
		return located{path: filepath.Join(dir, sources.ArchiveName(p, v, on))}.open(ctx)
	})
}

// packedFiles returns the names of the packed packages of a version in a directory: of several for one platform the one
// that a [Source] takes.
func packedFiles(dir string, p sources.Provider, v sources.Version) (map[sources.Platform]string, error) {
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	files := make(map[sources.Platform]string)
	for _, entry := range entries {
		pkg, ok := parsePacked(entry.Name(), p)
		if ok && pkg.version == v && files[pkg.platform] == "" {
			files[pkg.platform] = entry.Name()
		}
	}
	return files, nil
}

// home returns the directory of a provider. Its host is in the ASCII form, in which network mirrors are asked for it.
func (t *Target) home(p sources.Provider) (string, error) {
	return mirrorjson.Home(t.dir, p)
}

func (t *Target) failure(op string, p sources.Provider, v sources.Version, err error) error {
	return &sources.Error{Op: op, Source: t.String(), Provider: p, Version: v, Err: err}
}

// Remove removes the packages of a version for these platforms, and with the last of them all that there is about the version.
// They leave the indexes first. What is not there need not be removed. Where links make the directory that of two
// providers, nothing is removed, with a [*SharedError]. The error is a [*sources.Error].
func (t *Target) Remove(ctx context.Context, p sources.Provider, v sources.Version, platforms []sources.Platform) error {
	if err := t.remove(ctx, p, v, platforms); err != nil {
		return t.failure("remove packages", p, v, err)
	}
	return nil
}

func (t *Target) remove(ctx context.Context, p sources.Provider, v sources.Version, platforms []sources.Platform) (err error) {
	dir, err := t.home(p)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := t.checkUnshared(ctx, p, info); err != nil {
		return err
	}
	s, err := openShelf(ctx, dir, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return s.withdraw(v, platforms)
}

var _ sources.Target = (*Target)(nil)
