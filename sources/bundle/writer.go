package bundle

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/ocilayout"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// Writer is the target that collects packages for a bundle. It is safe for concurrent use.
type Writer struct {
	path    string // as it was given
	scratch *scratch
	layout  *ocilayout.Layout
	target  *ocimirror.Target

	mu     sync.RWMutex // held for reading by those who use the scratch
	closed bool
}

// Create begins a bundle, whose directory must exist. Nothing is at path before [Writer.Commit] has succeeded; what is
// there stays until then. It has to be a regular file, or a symbolic link to one: then the link is replaced, and not what
// it leads to. Call [Writer.Close] in the end, whatever happens. The error is that of the file system; it matches
// [ErrNotRegular] if there is something else at path.
func Create(path string) (*Writer, error) {
	if err := checkPlace(path); err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err} // now rather than in the end
	}
	s, err := newScratch(path)
	if err != nil {
		return nil, err
	}
	blobs := filepath.Join(s.dir, "blobs")
	if err := os.Mkdir(blobs, 0o700); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	layout := ocilayout.New(blobs)
	target, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: newConfig(path, layout)})
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return &Writer{path: path, scratch: s, layout: layout, target: target}, nil
}

// checkPlace makes sure that a bundle can be renamed to a path, and does nobody harm there: it would end /dev/null.
func checkPlace(path string) error {
	if path == "" {
		return fs.ErrNotExist
	}
	switch info, err := os.Stat(path); {
	case err != nil || info.Mode().IsRegular(): // there is none, or whoever makes the scratch will hear of it
		return nil
	case info.IsDir():
		return syscall.EISDIR
	}
	return ErrNotRegular
}

// String returns "bundle PATH".
func (w *Writer) String() string { return kind + w.path }

var _ sources.Target = (*Writer)(nil)

// Push puts a release into the bundle, by the rules of [ocimirror.Target.Push]: further platforms of a version are added, and
// either all packages get in or none.
//
// The error is a [*sources.Error]. Another archive for the same platform is a [*sources.ConflictError]. A file that is not the
// one that was verified is a [*hashing.MismatchError]. A statement that does not verify is a *signature.Error (package
// hashing/signature) or a [*hashing.SumsError]; one that leaves out or contradicts a package of the version is a
// [*sources.StatementError]. A release that [sources.Release.Check] refuses, or that a bundle has no name for, is a
// [*sources.ReleaseError]. After Commit or Close it matches [fs.ErrClosed].
func (w *Writer) Push(ctx context.Context, r sources.Release) (*sources.Pushed, error) {
	if _, _, err := locate(r.Provider); err != nil && !r.Provider.IsZero() {
		return nil, w.failure(opPublish, r.Provider, r.Version, &sources.ReleaseError{Field: "Provider", Problem: "cannot be in a bundle: its namespace and type have to be ASCII, and its host must not end with a dot"})
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return nil, w.failure(opPublish, r.Provider, r.Version, closedError{})
	}
	pushed, err := w.target.Push(ctx, r)
	if err != nil {
		return nil, w.explain(opPublish, r.Provider, r.Version, err)
	}
	pushed.Address = w.address(r.Provider, r.Version)
	return pushed, nil
}

// Stored returns which packages of a version are in the bundle so far, with the zh hashes of their archives. The error is a
// [*sources.Error]; after Commit or Close it matches [fs.ErrClosed].
func (w *Writer) Stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return nil, w.failure(opList, p, v, closedError{})
	}
	stored, err := w.target.Stored(ctx, p, v)
	if err != nil {
		return nil, w.explain(opList, p, v, err)
	}
	return stored, nil
}

// address is that of a version, as skopeo takes it: "providers.tar:registry.example.com/acme/rocket:1.2.3".
func (w *Writer) address(p sources.Provider, v sources.Version) string {
	return w.path + ":" + nameOf(p, v)
}

// What a writer is told to do, or a bundle: [sources.Error.Op].
const (
	opPublish = "publish packages"
	opList    = "list packages"
	opVerify  = "verify package"
)

func (w *Writer) failure(op string, p sources.Provider, v sources.Version, err error) error {
	return sourceError(sources.Error{Op: op, Source: w.String(), Provider: p, Version: v, Err: err})
}

// explain says that it is the bundle which an error of the target is about.
func (w *Writer) explain(op string, p sources.Provider, v sources.Version, err error) error {
	var asked *sources.Error
	if errors.As(err, &asked) {
		err = asked.Err
	}
	var conflict *sources.ConflictError
	if errors.As(err, &conflict) {
		own := *conflict
		own.Address = w.address(p, v)
		err = &own
	}
	return w.failure(op, p, v, err)
}

// Commit writes the bundle, and puts it at its path in one step, after its contents have come to the disk. It waits for
// calls of Push that have begun. The writer takes nothing more, also if it fails: then nothing has changed at the path,
// and the packages have to be put into another bundle. A bundle that [Open] would find too large is not written. On
// Windows it fails while somebody has the file open that is to be replaced. The error is a [*CommitError]; when Commit or
// Close was called before, it matches [fs.ErrClosed].
func (w *Writer) Commit(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.named(closedError{})
	}
	w.closed = true
	err, removing := w.write(ctx), w.scratch.remove()
	if err == nil {
		return nil // the bundle is there; what stays of the scratch is removed by whoever begins the next
	}
	return w.named(errors.Join(err, removing))
}

func (w *Writer) named(err error) error {
	if err == nil {
		return nil
	}
	return &CommitError{Path: w.path, Err: err}
}

func (w *Writer) write(ctx context.Context) error {
	f, err := os.Create(filepath.Join(w.scratch.dir, "bundle"))
	if err != nil {
		return err
	}
	if err = w.fill(ctx, f); err == nil {
		err = ctx.Err()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), w.path)
}

// fill writes the archive. Without Sync the file could get its name before its contents.
func (w *Writer) fill(ctx context.Context, f *os.File) error {
	if err := w.layout.WriteTar(ctx, f, isVersion); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	return f.Sync()
}

// isVersion tells the tags of versions from those by which targets find each other.
func isVersion(_, tag string) bool {
	_, ok := versionOf(tag)
	return ok
}

// Close discards what was put into the writer, unless it was committed. It may be called again.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return w.scratch.remove()
}
