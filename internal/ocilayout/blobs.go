package ocilayout

import (
	_ "crypto/sha256" // digests of blobs
	_ "crypto/sha512"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// blobs are the contents of a layout.
type blobs interface {
	// stat returns the size of a blob in bytes, and whether it is there.
	stat(d digest.Digest) (size int64, ok bool)
	// open opens a blob that is there.
	open(d digest.Digest) (content, error)
	// all lists the digests of the blobs, sorted.
	all() []digest.Digest
}

// content is an open blob.
type content interface {
	io.ReaderAt
	io.Closer
}

// blobPath returns the place of a blob in a layout: "blobs/sha256/0123…".
func blobPath(d digest.Digest) string {
	return path.Join(ocispec.ImageBlobsDir, d.Algorithm().String(), d.Encoded())
}

// blobDigest is the inverse of blobPath. Files that are no blobs have none.
func blobDigest(name string) (digest.Digest, bool) {
	rest, ok := strings.CutPrefix(name, ocispec.ImageBlobsDir+"/")
	algorithm, encoded, found := strings.Cut(rest, "/")
	d := digest.Digest(algorithm + ":" + encoded)
	return d, ok && found && d.Validate() == nil
}

// section is the blobs in a tar.
type section struct {
	file  io.ReaderAt
	files map[digest.Digest]extent
}

var _ blobs = (*section)(nil)

func (s *section) stat(d digest.Digest) (int64, bool) {
	e, ok := s.files[d]
	return e.size, ok
}

func (s *section) open(d digest.Digest) (content, error) {
	e := s.files[d]
	return unclosed{io.NewSectionReader(s.file, e.offset, e.size)}, nil
}

func (s *section) all() []digest.Digest {
	return slices.Sorted(maps.Keys(s.files))
}

// unclosed is a part of a file that somebody else closes.
type unclosed struct{ io.ReaderAt }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }

// spool is the blobs of a layout that is being made: files in a directory of its own.
type spool struct {
	dir string

	mu    sync.Mutex
	sizes map[digest.Digest]int64
}

var _ blobs = (*spool)(nil)

func (s *spool) stat(d digest.Digest) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, ok := s.sizes[d]
	return size, ok
}

func (s *spool) open(d digest.Digest) (content, error) { return os.Open(s.path(d)) }

func (s *spool) path(d digest.Digest) string {
	return filepath.Join(s.dir, d.Algorithm().String()+"-"+d.Encoded())
}

func (s *spool) all() []digest.Digest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.sizes))
}

// put stores a blob. It is there when all of it is, and is what its digest says.
func (s *spool) put(d digest.Digest, from io.Reader) (err error) {
	f, err := os.CreateTemp(s.dir, "arriving-*")
	if err != nil {
		return err
	}
	size, err := fill(f, d, from)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), s.path(d))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the directory goes as well, later
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[d] = size
	return nil
}

func fill(f *os.File, d digest.Digest, from io.Reader) (int64, error) {
	verifier := d.Verifier()
	size, err := io.Copy(io.MultiWriter(f, verifier), from)
	if err == nil && !verifier.Verified() {
		err = &Error{Entry: blobPath(d), Kind: ErrMismatch, Detail: fmt.Sprintf("%d bytes arrived", size)}
	}
	return size, err
}
