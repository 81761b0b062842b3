package registrytest

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// bulk is a reader of pseudo-random data that compresses about as well as machine code does: fragments from a small pool,
// like instructions and tables that recur, with a random operand after each. It depends on size and seed alone.
type bulk struct {
	left  int64 // bytes still to come
	state uint64
	pool  [poolFragments][fragmentSize]byte
	buf   [recordsPerFill * recordSize]byte
	ready []byte // the part of buf that is not read yet
}

// The shape of bulk data, tuned by trial for a compression to 30 % at the compressor's fastest level.
const (
	fragmentSize   = 24
	operandSize    = 6
	recordSize     = fragmentSize + operandSize
	poolFragments  = 256 // a power of two; small enough for the pool to recur within a compressor's 32 KiB window
	recordsPerFill = 1024
)

var _ io.Reader = (*bulk)(nil)

func newBulk(size int64, seed uint64) *bulk {
	b := &bulk{left: size, state: seed*0x9e3779b97f4a7c15 | 1}
	for i := range b.pool {
		for j := 0; j < fragmentSize; j += 8 {
			binary.LittleEndian.PutUint64(b.pool[i][j:], b.random())
		}
	}
	return b
}

// random is the xorshift64* generator: fast, and good enough for noise.
func (b *bulk) random() uint64 {
	b.state ^= b.state >> 12
	b.state ^= b.state << 25
	b.state ^= b.state >> 27
	return b.state * 0x2545f4914f6cdd1d
}

func (b *bulk) fill() {
	for i := 0; i < len(b.buf); i += recordSize {
		x := b.random()
		record := b.buf[i : i+recordSize : i+recordSize]
		copy(record, b.pool[x%poolFragments][:])
		binary.LittleEndian.PutUint32(record[fragmentSize:], uint32(x>>32))
		binary.LittleEndian.PutUint16(record[fragmentSize+4:], uint16(x>>16))
	}
	b.ready = b.buf[:]
}

// Read implements [io.Reader].
func (b *bulk) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if len(b.ready) == 0 {
		b.fill()
	}
	n := copy(p[:min(int64(len(p)), b.left)], b.ready)
	b.ready = b.ready[n:]
	b.left -= int64(n)
	return n, nil
}

// bulkStore keeps large executables, each compressed once, and the archives made of them in a temporary directory.
type bulkStore struct {
	parent string // where to make the directory, "" for the system's choice

	mu    sync.Mutex // held while executables and archives are made: one at a time is fast enough
	dir   string     // made when first needed
	gone  bool
	count int
	made  map[bulkKey]string // archives that contain just the executable
}

type bulkKey struct {
	size int64
	seed uint64
}

// archive makes an archive on disk, which fill makes from an archive entry with the executable that r asks for.
func (b *bulkStore) archive(name string, r Release, fill func(w *zip.Writer, executable *zip.File) error) (*file, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	compressed, err := b.executable(bulkKey{r.Size, r.Seed})
	if err != nil {
		return nil, err
	}
	source, err := zip.OpenReader(compressed)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	path, err := b.write(func(w *zip.Writer) error { return fill(w, source.File[0]) })
	if err != nil {
		return nil, err
	}
	return diskFile(name, path)
}

// executable returns the path of an archive that contains just the executable.
func (b *bulkStore) executable(key bulkKey) (string, error) {
	if path, ok := b.made[key]; ok {
		return path, nil
	}
	path, err := b.write(func(w *zip.Writer) error {
		return addEntry(w, "executable", 0o755, newBulk(key.size, key.seed))
	})
	if err != nil {
		return "", err
	}
	if b.made == nil {
		b.made = map[bulkKey]string{}
	}
	b.made[key] = path
	return path, nil
}

func (b *bulkStore) write(fill func(*zip.Writer) error) (string, error) {
	path, err := b.newPath()
	if err != nil {
		return "", err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	w := newZip(f)
	return path, errors.Join(fill(w), w.Close(), f.Close())
}

// create makes an empty file that goes away with the store.
func (b *bulkStore) create() (*os.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	path, err := b.newPath()
	if err != nil {
		return nil, err
	}
	return os.Create(path)
}

func (b *bulkStore) newPath() (_ string, err error) {
	if b.gone {
		return "", errClosed
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp(b.parent, "registrytest-"); err != nil {
			return "", err
		}
	}
	b.count++
	return filepath.Join(b.dir, strconv.Itoa(b.count)), nil
}

// remove deletes everything and refuses to make more.
func (b *bulkStore) remove() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	if b.dir != "" {
		_ = os.RemoveAll(b.dir) // it is a temporary directory: what cannot go now, the system cleans
	}
}

func diskFile(name, path string) (*file, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	sum, size, err := hashFile(r)
	open := func() (readSeekCloser, error) { return os.Open(path) }
	return newFile(name, size, sum, open), err
}
