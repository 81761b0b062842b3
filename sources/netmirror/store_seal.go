package netmirror

import (
	"io/fs"
	"os"
	"sync"

	"github.com/purveyor-dev/purveyor/hashing"
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
