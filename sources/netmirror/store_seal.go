package netmirror

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// maxSeals is how many archives are remembered. One that is not is read once more.
const maxSeals = 8192

// seal says what a file was when it was read.
type seal struct {
	info fs.FileInfo
	sum  hashing.Hash
}

// fits reports whether a file still looks as it did.
func (s seal) fits(info fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}

// seals remembers what files were, by path. The zero value is ready; it is safe for concurrent use.
type seals struct {
	mu    sync.RWMutex
	known map[string]seal
}

// of returns the zh hash of a file that looks as it did; "" if it is not known.
func (s *seals) of(path string, info fs.FileInfo) hashing.Hash {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if known := s.known[path]; known.fits(info) {
		return known.sum
	}
	return ""
}

func (s *seals) note(path string, known seal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[string]seal)
	}
	if _, ok := s.known[path]; !ok {
		makeRoom(s.known, maxSeals)
	}
	s.known[path] = known
}

// openRegular opens a file, and nothing else: opening a pipe would wait for somebody to write to it.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// readLimited reads a file of at most so many bytes.
func readLimited(path string, limit int64) ([]byte, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", sources.ErrTooLarge, path, limit)
	}
	return data, nil
}
