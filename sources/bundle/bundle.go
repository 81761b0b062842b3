package bundle

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/ocilayout"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// Bundle is the source that finds providers in the file of a bundle. It is safe for concurrent use. The file must not be
// changed while it is open; that another takes its place, as by [Writer.Commit], is no change.
type Bundle struct {
	name   string
	file   *os.File // nil: somebody else's
	layout *ocilayout.Layout
	source *ocimirror.Source
}

// Open opens a bundle. It reads the headers of the archive and the list of what there is; nothing is verified yet. The
// error is that of the file, or a [*FileError]. Call [Bundle.Close] in the end.
func Open(path string) (*Bundle, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &FileError{Bundle: path, Reason: ErrNotRegular} // opening a pipe would wait for somebody to write to it
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	var b *Bundle
	if err == nil {
		b, err = OpenReader(file, info.Size(), path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	b.file = file
	return b, nil
}

// OpenReader opens a bundle of size bytes that is read from somewhere; name tells it from others, for people. It is read
// concurrently. The error is that of reading, or a [*FileError].
func OpenReader(from io.ReaderAt, size int64, name string) (*Bundle, error) {
	layout, err := ocilayout.Open(from, size)
	if err != nil {
		return nil, fileError(name, err)
	}
	source, err := ocimirror.New(newConfig(name, layout))
	if err != nil {
		return nil, err
	}
	return &Bundle{name: name, layout: layout, source: source}, nil
}

// Close closes the file. What has to be read from then on, packages that were described before among it, fails with an error
// that matches [os.ErrClosed]. Of a bundle from [OpenReader] nothing is closed.
func (b *Bundle) Close() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}

// String returns "bundle PATH".
func (b *Bundle) String() string { return kind + b.name }

var _ sources.Source = (*Bundle)(nil)

// Versions implements [sources.Source]. The error is a [*sources.Error], around a [*FileError] if it is the bundle that is
// wrong, or an error of [ocimirror.Source.Versions] about an artifact in it.
func (b *Bundle) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := b.source.Versions(ctx, p)
	return listing, b.explain(err)
}

// Package implements [sources.Source]. Open archives have ranges ([sources.RangeOpener]). The error is one as for Versions,
// or a [*sources.Error] around a [*sources.PlatformError]. Those of claims and archives are a [*FileError], or an error of
// [ocimirror.Source.Package].
func (b *Bundle) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := b.source.Package(ctx, p, v, on)
	if err != nil {
		return nil, b.explain(err)
	}
	own := *pkg
	own.Location = b.name + ":" + nameOf(p, v)
	own.Claims = func(ctx context.Context) (hashing.Claims, error) {
		claims, err := pkg.Claims(ctx)
		return claims, fileError(b.name, err)
	}
	own.Content.Archive = sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		r, size, err := pkg.Content.Archive.Open(ctx)
		return r, size, fileError(b.name, err)
	})
	return &own, nil
}

// explain says that it is the bundle which an error of the source is about.
func (b *Bundle) explain(err error) error {
	var asked *sources.Error
	if !errors.As(err, &asked) {
		return err
	}
	own := *asked
	own.Source = b.String()
	return sourceError(own)
}
