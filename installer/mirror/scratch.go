package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources"
)

// Names in [Builder.Scratch].
const (
	scratchLock = ".purveyor-mirror.lock"
	scratchDir  = ".purveyor-mirror" // of archives; nothing else is touched
)

// scratch is where archives are until they are published.
type scratch struct {
	dir  string
	lock *filelock.Held // nil: the directory is nobody else's
}

func openScratch(ctx context.Context, dir string) (*scratch, error) {
	if dir == "" {
		fresh, err := os.MkdirTemp("", "purveyor-mirror-")
		return &scratch{dir: fresh}, err
	}
	lock, err := filelock.Lock(ctx, filepath.Join(dir, scratchLock), nil)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: filepath.Join(dir, scratchDir), lock: lock}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return s, nil
}

// prepare makes the directory, or clears it. It does not follow a link, behind which anything could be lost.
func (s *scratch) prepare() error {
	if err := os.Mkdir(s.dir, 0o700); !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(s.dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "use as scratch directory", Path: s.dir, Err: syscall.ENOTDIR}
	}
	return s.tidy()
}

// tidy removes what a killed build has left, apart from archives that were complete.
func (s *scratch) tidy() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var failures []error
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".zip" || !entry.Type().IsRegular() {
			failures = append(failures, os.RemoveAll(filepath.Join(s.dir, entry.Name())))
		}
	}
	return errors.Join(failures...)
}

// path returns the place of an archive. Its name is no part of it: addresses can have colons, and be long.
func (s *scratch) path(p sources.Provider, v sources.Version, on sources.Platform) string {
	sum := sha256.Sum256([]byte(sources.ArchivePath(p, v, on)))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:])+".zip")
}

// close removes everything.
func (s *scratch) close() error {
	err := os.RemoveAll(s.dir)
	if s.lock == nil {
		return err
	}
	_ = os.Remove(filepath.Join(filepath.Dir(s.dir), scratchLock)) // not on Windows, while it is locked; then it stays, empty
	return errors.Join(err, s.lock.Unlock())
}
