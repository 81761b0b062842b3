package ocilayout

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// extent is where a file is in a tar.
type extent struct{ offset, size int64 }

// catalogue is what a tar has, as far as its headers tell.
type catalogue struct {
	files map[string]extent // regular files, by name
	end   int64             // where the two blocks of zeros end, which end the archive
}

// block is the unit of a tar. Two blocks of zeros end it: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html
const block = 512

// scan reads the headers of a tar. It reads nothing else, so that it takes no longer for large files.
func scan(r io.ReaderAt, size int64) (*catalogue, error) {
	if err := checkStart(r, size); err != nil {
		return nil, err
	}
	m := &meter{SectionReader: io.NewSectionReader(r, 0, size)}
	s := &scanner{size: size, meter: m, tar: tar.NewReader(m), names: map[string]bool{}, found: &catalogue{files: map[string]extent{}}}
	for {
		done, err := s.next()
		if done || err != nil {
			return s.found, err
		}
	}
}

// packed is how archives begin that have been compressed.
var packed = map[string]string{"gzip": "\x1f\x8b", "zstd": "\x28\xb5\x2f\xfd", "xz": "\xfd7zXZ\x00", "bzip2": "BZh"}

func checkStart(r io.ReaderAt, size int64) error {
	start := make([]byte, min(max(size, 0), 8))
	if _, err := r.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for name, magic := range packed {
		if bytes.HasPrefix(start, []byte(magic)) {
			return &Error{Kind: ErrCompressed, Detail: name}
		}
	}
	return nil
}

// meter bounds what is read for the headers of one file: extended ones could go on for as long as the file does.
type meter struct {
	*io.SectionReader
	left int64
}

var errManyHeaders = errors.New("headers that do not end")

// Read implements [io.Reader].
func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errManyHeaders
	}
	n, err := m.SectionReader.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	return n, err
}

type scanner struct {
	size  int64
	meter *meter
	tar   *tar.Reader
	names map[string]bool // all, directories included
	end   int64           // of the last file's blocks
	found *catalogue
}

// next reads what precedes one file.
func (s *scanner) next() (done bool, err error) {
	s.meter.left = maxHeaders
	header, err := s.tar.Next()
	switch {
	case err == io.EOF:
		return true, s.finish()
	case err != nil:
		return true, s.explain(err)
	case len(s.names) == MaxFiles:
		return true, &Error{Kind: ErrTooLarge, Detail: fmt.Sprintf("more than %d files in the archive", MaxFiles)}
	}
	offset, err := s.meter.Seek(0, io.SeekCurrent)
	if err != nil {
		return true, err
	}
	return false, s.add(header, offset)
}

// explain turns an error of the standard reader into what it means here.
func (s *scanner) explain(err error) error {
	switch {
	case errors.Is(err, errManyHeaders):
		return &Error{Kind: ErrTooLarge, Detail: fmt.Sprintf("more than %d bytes of headers for one file", maxHeaders)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: ErrTruncated}
	case errors.Is(err, tar.ErrInsecurePath):
		return &Error{Kind: ErrUnsafeName}
	case errors.Is(err, tar.ErrHeader) || errors.Is(err, tar.ErrFieldTooLong):
		return &Error{Kind: ErrNotTar, Detail: fmt.Sprintf("there is no header after the first %d bytes", s.end)}
	}
	return err // of the file that the archive is in
}

func (s *scanner) add(header *tar.Header, offset int64) error {
	isDir := header.Typeflag == tar.TypeDir
	if !isDir && header.Typeflag != tar.TypeReg || isSparse(header) {
		return &Error{Entry: header.Name, Kind: ErrNotRegular}
	}
	name, err := s.name(header)
	if err != nil {
		return err
	}
	if isDir {
		s.end = offset
		return nil
	}
	if left := s.size - offset; header.Size > left {
		return &Error{Entry: name, Kind: ErrTruncated, Detail: fmt.Sprintf("%d of %d bytes are there", left, header.Size)}
	}
	s.found.files[name] = extent{offset, header.Size}
	s.end = offset + (header.Size+block-1)/block*block
	return nil
}

// name returns the name of a file in plain form: tar writes "./index.json" if it is told to archive ".".
func (s *scanner) name(header *tar.Header) (string, error) {
	name := strings.TrimPrefix(header.Name, "./")
	if header.Typeflag == tar.TypeDir {
		name = strings.TrimSuffix(name, "/")
	}
	switch {
	case len(name) > MaxName:
		return "", &Error{Entry: name, Kind: ErrTooLarge, Detail: fmt.Sprintf("the name has more than %d bytes", MaxName)}
	case name == "" && header.Typeflag == tar.TypeDir:
		name = "."
	case !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00"):
		return "", &Error{Entry: header.Name, Kind: ErrUnsafeName}
	}
	if s.names[name] {
		return "", &Error{Entry: name, Kind: ErrDuplicate}
	}
	s.names[name] = true
	return name, nil
}

// isSparse reports whether a file is stored without its zeros, so that its bytes are not those in the archive.
func isSparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return header.Typeflag == tar.TypeGNUSparse
}

// finish makes sure that the archive has its end.
func (s *scanner) finish() error {
	var end [2 * block]byte
	if n, err := s.meter.ReadAt(end[:], s.end); n < len(end) {
		if err == nil || errors.Is(err, io.EOF) {
			err = &Error{Kind: ErrTruncated, Detail: "it has no end"}
		}
		return err
	}
	if end != [len(end)]byte{} {
		return &Error{Kind: ErrNotTar, Detail: fmt.Sprintf("there is no header after the first %d bytes", s.end)}
	}
	s.found.end = s.end + int64(len(end))
	return nil
}
