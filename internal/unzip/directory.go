package unzip

import (
	"archive/zip"
	"errors"
	"io"
	"strings"
)

// The directory is read into memory as a whole, so its bytes are bounded before that: generously for the
// average entry, with room for a few that are not average.
const (
	headerLen       = 46 // of a directory entry without name, extra fields and comment
	averageHeader   = 512
	directoryMargin = 64 << 10
)

// directory is an archive's central directory, read but not judged.
type directory struct {
	files  []*zip.File
	offset int64 // of the directory in the archive
	where  *locator
}

// readDirectory reads the central directory. Numbers in an end record are claims: what they would
// make archive/zip allocate is bounded first, and they are compared with what was found after.
func readDirectory(r io.ReaderAt, size int64, limits Limits) (*directory, error) {
	where := &locator{archive: r}
	e, err := readEnd(where, size)
	if err != nil {
		return nil, err
	}
	if over(e.records, int64(limits.Entries)) {
		return nil, refuse("", ErrTooLarge, "%d entries, at most %d are allowed", e.records, limits.Entries)
	}
	if most := int64(e.records)*averageHeader + directoryMargin; e.size > most {
		return nil, refuse("", ErrTooLarge, "%d bytes of directory for %d entries, at most %d are allowed", e.size, e.records, most)
	}
	zr, err := zip.NewReader(where, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are judged here, more strictly
		return nil, readError("", err)
	}
	if n, bytes := len(zr.File), directoryBytes(zr.File); uint64(n) != e.records || bytes != e.size {
		return nil, refuse("", ErrCorrupt, "%d entries in %d bytes of directory, declared are %d in %d", n, bytes, e.records, e.size)
	}
	zr.RegisterDecompressor(zip.Deflate, newInflater)
	return &directory{files: zr.File, offset: e.offset, where: where}, nil
}

func directoryBytes(files []*zip.File) (n int64) {
	for _, f := range files {
		n += headerLen + int64(len(f.Name)+len(f.Extra)+len(f.Comment))
	}
	return n
}

// entry is one entry of a directory that has passed the checks.
type entry struct {
	*zip.File
	offset int64 // of its local header
	limit  int64 // where the next thing in the archive begins: its data must end before
}

func (e *entry) isDir() bool  { return isDir(e.File) }
func (e *entry) path() string { return strings.TrimSuffix(e.Name, "/") }
func (e *entry) size() int64  { return int64(e.UncompressedSize64) }

func isDir(f *zip.File) bool { return strings.HasSuffix(f.Name, "/") }

// open begins reading the entry's contents. Only now its local header, which says where the data begins, is read.
func (e *entry) open() (io.ReadCloser, error) {
	start, err := e.DataOffset()
	if err != nil {
		return nil, readError(e.Name, err)
	}
	if start > e.limit || e.CompressedSize64 > uint64(e.limit-start) {
		return nil, refuse(e.Name, ErrOverlap, "%d bytes of data at %d reach beyond %d, where other things begin", e.CompressedSize64, start, e.limit)
	}
	r, err := e.Open()
	if err != nil {
		return nil, readError(e.Name, err)
	}
	return r, nil
}

// locator is the archive as archive/zip sees it. It can find out where an entry's local header is without
// reading it, which matters while the archive is still arriving: archive/zip keeps that number to
// itself, but it has to ask for the bytes there.
type locator struct {
	archive io.ReaderAt
	asking  bool
	asked   int64
	inOrder Discarder // nil unless what follows is read in order
}

var errAsked = errors.New("asked for a place, not for its bytes")

// ReadAt reads from the archive, except while headerOffset asks.
func (l *locator) ReadAt(p []byte, offset int64) (int, error) {
	if l.asking {
		l.asked = offset
		return 0, errAsked
	}
	if l.inOrder != nil {
		l.inOrder.Discard(offset)
	}
	n, err := l.archive.ReadAt(p, offset)
	if err != nil && err != io.EOF {
		err = &sourceError{err}
	}
	return n, err
}

// Discarder is an archive that wants to know what of it is not needed any more.
type Discarder interface {
	// Discard says that nothing before an offset is read again.
	Discard(before int64)
}

// readInOrder says that from now on the archive is read from its beginning to its end.
func (l *locator) readInOrder() { l.inOrder, _ = l.archive.(Discarder) }

// headerOffset returns the position of f's local header, not checked in any way.
func (l *locator) headerOffset(f *zip.File) (int64, error) {
	l.asking = true
	_, err := f.DataOffset()
	l.asking = false
	if !errors.Is(err, errAsked) {
		return 0, refuse(f.Name, ErrCorrupt, "its place in the archive cannot be found")
	}
	return l.asked, nil
}

var _ io.ReaderAt = (*locator)(nil)
