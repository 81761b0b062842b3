package gogetter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/purveyor-dev/purveyor/internal/filelock"
)

// closedError is the error of a source that was closed. It matches [fs.ErrClosed].
type closedError struct{}

func (closedError) Error() string { return "the source is closed" }

// Is makes the error one of kind fs.ErrClosed.
func (closedError) Is(kind error) bool { return kind == fs.ErrClosed }

const (
	scratchPrefix = "gogetter-"      // of private directories
	scratchLock   = "lock"           // in a private directory: held as long as it is used
	sweepLock     = ".gogetter.lock" // beside them: held while one is made or swept away
)

// scratch is the private directory of a source. It is made when it is first needed, and nobody else can read it. Beside
// it, those of processes that were killed are swept away, which their locks tell.
type scratch struct {
	parent string // "": the system's directory for temporary files, where nothing is swept

	mu     sync.Mutex
	dir    string // "": not made yet
	held   *filelock.Held
	closed bool
}

// path returns the directory.
func (s *scratch) path(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", closedError{}
	}
	if s.dir != "" {
		return s.dir, nil
	}
	var err error
	if s.parent == "" {
		s.dir, err = os.MkdirTemp("", scratchPrefix)
	} else {
		err = s.makeLocked(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("no directory for temporary files: %w", err)
	}
	return s.dir, nil
}

func (s *scratch) makeLocked(ctx context.Context) (err error) {
	if err := os.MkdirAll(s.parent, 0o700); err != nil {
		return err
	}
	sweeping, err := filelock.Lock(ctx, filepath.Join(s.parent, sweepLock), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sweeping.Unlock()) }()
	if err := s.sweep(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.parent, scratchPrefix)
	if err != nil {
		return err
	}
	if s.held, err = filelock.Lock(ctx, filepath.Join(dir, scratchLock), nil); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	s.dir = dir
	return nil
}

// newFile makes an empty file in the directory.
func (s *scratch) newFile(ctx context.Context) (string, error) {
	dir, err := s.path(ctx)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "file-")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// sweep removes the directories that nobody uses any more.
func (s *scratch) sweep() error {
	entries, err := os.ReadDir(s.parent)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), scratchPrefix) {
			continue
		}
		dir := filepath.Join(s.parent, entry.Name())
		held, free, err := filelock.TryLock(filepath.Join(dir, scratchLock))
		if err != nil || !free {
			continue // in use, or somebody else's
		}
		if err := errors.Join(held.Unlock(), os.RemoveAll(dir)); err != nil {
			return err
		}
	}
	return nil
}

// close removes the directory. From then on there is none.
func (s *scratch) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.dir == "" {
		return nil
	}
	var err error
	if s.held != nil {
		err = s.held.Unlock()
		s.held = nil
	}
	dir := s.dir
	s.dir = ""
	return errors.Join(err, os.RemoveAll(dir))
}
