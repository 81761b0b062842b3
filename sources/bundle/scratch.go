package bundle

import (
	"errors"
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
		case err == nil && !ok: // somebody took it for one that was left behind, and removes it
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
		if info, err := os.Lstat(filepath.Join(dir, lockName)); err != nil || !info.Mode().IsRegular() {
			continue // it is about to be locked, or a trap: locking makes what a link leads to
		}
		if held, ok, err := filelock.TryLock(filepath.Join(dir, lockName)); err == nil && ok {
			_ = (&scratch{dir, held}).remove() // or another time
		}
	}
}

// remove removes the scratch. The lock is let go of first, since there are systems that do not remove open files.
func (s *scratch) remove() error {
	var unlocking error
	if s.lock != nil {
		unlocking = s.lock.Unlock()
	}
	return errors.Join(unlocking, os.RemoveAll(s.dir))
}
