package installer

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources"
)

// entry is the place of one package in a directory tree that is laid out like .terraform/providers: Dir or CacheDir.
type entry struct {
	path    string // of the package's own directory, absolute
	staging string // of the private directory in which the package is prepared; same file system
	lock    string // of the lock file that every writer holds, tofu included
}

// stagingPrefix begins the name of staging directories, which stand where <os>_<arch> directories do. It has no
// underscore, so the clients do not take them for packages.
const stagingPrefix = ".staging-"

func newEntry(base string, p sources.Provider, v sources.Version, on sources.Platform) entry {
	path := filepath.Join(base, filepath.FromSlash(sources.PackagePath(p, v, on)))
	return entry{
		path:    path,
		staging: filepath.Join(filepath.Dir(path), stagingPrefix+on.OS+"-"+on.Arch),
		lock:    path + ".lock",
	}
}

// exclusively runs do while holding the entry's lock. waiting is called if another holds it.
func (e entry) exclusively(ctx context.Context, waiting func(), do func() error) (err error) {
	lock, err := filelock.Lock(ctx, e.lock, waiting)
	if err != nil {
		return err
	}
	defer func() { err = also(err, lock.Unlock()) }()
	return do()
}

// stage makes an empty staging directory for do to work in. The caller holds the lock, so that what stands there
// before was left by a process that died. Afterwards the directory is removed; what the system does not let go of, such
// as a running program on Windows, the next installation will remove.
func (e entry) stage(do func() error) error {
	if err := os.RemoveAll(e.staging); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(e.staging), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(e.staging, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(e.staging)
	return do()
}

// staged returns the path of something in the staging directory.
func (e entry) staged(name string) string { return filepath.Join(e.staging, name) }

// publish moves something from the staging directory to the entry's place, in the stead of whatever is there, which
// ends up in the staging directory. The caller holds the lock.
func (e entry) publish(name string) error {
	_, err := os.Lstat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Rename(e.staged(name), e.path)
	case err != nil:
		return err
	}
	if err := exchange(e.staged(name), e.path); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := os.Rename(e.path, e.staged("replaced")); err != nil {
		return err
	}
	return os.Rename(e.staged(name), e.path)
}

// exists reports whether anything stands at the entry's place.
func (e entry) exists() bool {
	_, err := os.Lstat(e.path)
	return err == nil
}

// also adds the error of a clean-up to the one that counts, which stays what it is if the clean-up went well.
func also(err, cleanup error) error {
	if err == nil || cleanup == nil {
		return cmp.Or(err, cleanup)
	}
	return errors.Join(err, cleanup)
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
