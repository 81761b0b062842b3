package fsmirror

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/internal/atomicfile"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// lockName is the name of the file that whoever changes the packages of a provider locks. It is empty and stays.
const lockName = ".purveyor.lock"

// shelf is the directory of a provider's packages, locked for those who change them.
type shelf struct {
	dir      string
	provider sources.Provider
	lock     *filelock.Held
}

// openShelf makes the directory if there is none, locks it, and clears away what a killed process left in it.
func openShelf(ctx context.Context, dir string, p sources.Provider) (*shelf, error) {
	lock, err := filelock.Lock(ctx, filepath.Join(dir, lockName), nil)
	if err != nil {
		return nil, err
	}
	s := &shelf{dir: dir, provider: p, lock: lock}
	if err := s.sweep(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *shelf) close() error { return s.lock.Unlock() }

// sweep removes temporary files: whoever makes some holds the lock.
func (s *shelf) sweep() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var left []string
	for _, entry := range entries {
		if temporary, _ := filepath.Match(atomicfile.TempPattern, entry.Name()); temporary {
			left = append(left, entry.Name())
		}
	}
	return s.removeAll(left)
}

func (s *shelf) path(name string) string { return filepath.Join(s.dir, name) }

// read returns the contents of a file; nothing where there is none.
func (s *shelf) read(name string, limit int64) ([]byte, error) {
	data, err := plainfile.Read(s.path(name), limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// write replaces a file at once. One that has these contents is not touched.
func (s *shelf) write(file mirrorjson.File) error {
	old, err := plainfile.Read(s.path(file.Name), int64(len(file.Data)))
	if err == nil && bytes.Equal(old, file.Data) {
		return nil
	}
	return atomicfile.Write(s.path(file.Name), file.Data, 0o644)
}

// removeAll removes files, in this order, as far as they are there.
func (s *shelf) removeAll(names []string) error {
	for _, name := range names {
		if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// withdraw removes packages, in the reverse order of their publication: whoever reads an index finds what it lists.
func (s *shelf) withdraw(v sources.Version, platforms []sources.Platform) error {
	docs, err := s.documents(v)
	if err != nil {
		return err
	}
	var archives []string
	for _, on := range platforms {
		docs.draft.RemoveArchive(on)
		archives = append(archives, sources.ArchiveName(s.provider, v, on))
	}
	if err := docs.withdraw(); err != nil {
		return err
	}
	if err := s.removeAll(archives); err != nil {
		return err
	}
	left, err := packedFiles(s.dir, s.provider, v)
	if err != nil || len(left) > 0 || !docs.draft.IsEmpty() {
		return err
	}
	return s.removeStatements(v, nil)
}
