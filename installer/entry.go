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

// stage makes a staging directory for do to work in. Its name is new each time: should two installations ever run at
// once because a lock was lost, neither can touch what the other verifies. The caller holds the lock, so what else
// stands in the entry's staging place was left by a process that died. It is cleared, now and at the end; what the
// system does not let go of, such as a program that runs on Windows, the next installation will try again.
func (e entry) stage(do func(workshop) error) error {
	w, err := e.workshop()
	if err != nil {
		return err
	}
	defer removeAll(e.staging)
	return do(w)
}

// workshop clears the staging place, and makes a directory there.
func (e entry) workshop() (workshop, error) {
	_ = removeAll(e.staging)
	if err := os.MkdirAll(filepath.Dir(e.staging), 0o755); err != nil {
		return "", err
	}
	if err := os.Mkdir(e.staging, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	dir, err := os.MkdirTemp(e.staging, "")
	return workshop(dir), err
}

// workshop is a private directory in which a package is prepared.
type workshop string

// place returns the path of something in the workshop.
func (w workshop) place(name string) string { return filepath.Join(string(w), name) }

// publish moves something from the workshop to the entry's place, in the stead of whatever is there, which ends up in
// the workshop. The caller holds the lock.
func (e entry) publish(w workshop, name string) error {
	staged := w.place(name)
	info, err := os.Lstat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Rename(staged, e.path)
	case err != nil:
		return err
	case info.IsDir():
		_ = os.Chmod(e.path, 0o755) // a directory that cannot be written cannot be moved either
	}
	if exchange(staged, e.path) == nil {
		return nil
	}
	return e.replace(staged, w.place("replaced"))
}

// replace does in steps what exchange could not do in one.
func (e entry) replace(staged, aside string) error {
	if err := os.Rename(e.path, aside); err != nil {
		// Some file systems do not move directories of a lower layer: then what is there has to go first.
		if err := removeAll(e.path); err != nil {
			return err
		}
		return os.Rename(staged, e.path)
	}
	if err := os.Rename(staged, e.path); err != nil {
		return also(err, os.Rename(aside, e.path))
	}
	return nil
}

// removeAll removes a tree, directories without write permission included.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
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
