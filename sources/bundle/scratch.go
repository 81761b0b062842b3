package bundle

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/filelock"
)

// scratch is a directory beside a bundle, for what is to get into it. A lock in it tells whether its process lives: what a
// killed one has left behind is removed by whoever begins a bundle of the same path next.
type scratch struct {
	dir  string
	lock *filelock.Held // nil: the file system has no locks, and nobody will remove it but its owner
}

// lockName is the file in a scratch that is locked.
const lockName = "lock"

// scratchPattern is how the scratches for a path are called; * stands for digits.
func scratchPattern(path string) string { return "." + filepath.Base(path) + ".purveyor-*" }

func newScratch(path string) (*scratch, error) {
	clearScratches(path)
	for {
		dir, err := os.MkdirTemp(filepath.Dir(path), scratchPattern(path))
		if err != nil {
			return nil, err
		}
		held, ok, err := filelock.TryLock(filepath.Join(dir, lockName))
		switch {
		case err == nil && !ok, errors.Is(err, fs.ErrNotExist): // somebody took it for one that was left behind
		case err == nil || errors.Is(err, filelock.ErrNoLocks):
			return &scratch{dir, held}, nil
		default:
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
}

// clearScratches removes what was left behind, as far as it can.
func clearScratches(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // who makes the scratch will hear of it
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), strings.TrimSuffix(scratchPattern(path), "*")) {
			continue
		}
		dir := filepath.Join(filepath.Dir(path), entry.Name())
		info, err := os.Lstat(filepath.Join(dir, lockName))
		if errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(dir) // which is possible while it is empty: its process was killed, or makes another one
		}
		if err != nil || !info.Mode().IsRegular() {
			continue // a trap: locking makes what a link leads to
		}
		if held, ok, err := filelock.TryLock(filepath.Join(dir, lockName)); err == nil && ok {
			_ = (&scratch{dir, held}).remove() // or another time
		}
	}
}

// remove removes the scratch, and the lock last: whoever is killed on the way leaves what the next one finds. The lock is
// let go of before, since there are systems that do not remove open files.
func (s *scratch) remove() error {
	var errs []error
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, entry := range entries {
		if entry.Name() != lockName {
			errs = append(errs, os.RemoveAll(filepath.Join(s.dir, entry.Name())))
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Unlock())
	}
	return errors.Join(append(errs, err, os.RemoveAll(s.dir))...)
}
