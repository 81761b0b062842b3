package unzip

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Sizes and signatures of the records that end an archive, APPNOTE.TXT 4.3.14 to 4.3.16.
const (
	endLen       = 22
	end64Len     = 56
	locator64Len = 20
	maxComment   = 1<<16 - 1

	endSignature       = "PK\x05\x06"
	end64Signature     = "PK\x06\x06"
	locator64Signature = "PK\x06\x07"
)

// end is where an archive's directory lies, as its last record says.
type end struct {
	records      uint64 // entries in the directory
	offset, size int64  // of the directory, bytes
}

// readEnd finds the directory, and demands that there is one way only to find it: the end record closes
// the archive, the directory touches it, offsets count from the first byte, and the 64-bit
// record, if there is one, says the same. Readers that take other shortcuts then see the same entries.
func readEnd(r io.ReaderAt, size int64) (end, error) {
	record, at, err := findEnd(r, size)
	if err != nil {
		return end{}, err
	}
	le := binary.LittleEndian
	if comment := int(le.Uint16(record[20:])); comment != len(record)-endLen {
		return end{}, refuse("", ErrCorrupt, "the comment is %d bytes long, %d bytes follow the end record", comment, len(record)-endLen)
	}
	if le.Uint32(record[4:]) != 0 || le.Uint16(record[8:]) != le.Uint16(record[10:]) {
		return end{}, refuse("", ErrUnsupported, "the archive is split over several files")
	}
	small := totals{uint64(le.Uint16(record[10:])), uint64(le.Uint32(record[12:])), uint64(le.Uint32(record[16:]))}
	all, at, err := widen(r, small, at)
	if err != nil {
		return end{}, err
	}
	if all.offset > uint64(at) || all.size != uint64(at)-all.offset {
		return end{}, refuse("", ErrCorrupt, "a directory of %d bytes at %d does not lead up to the end record at %d", all.size, all.offset, at)
	}
	return end{records: all.records, offset: int64(all.offset), size: int64(all.size)}, nil
}

// findEnd returns the last end record with all that follows it, and its position. Like other readers it looks
// at a small tail first, because a comment is rare and the tail may have to be fetched.
func findEnd(r io.ReaderAt, size int64) ([]byte, int64, error) {
	for _, tail := range []int64{1 << 10, endLen + maxComment} {
		tail = min(tail, size)
		if tail < endLen {
			break
		}
		buf := make([]byte, tail)
		if err := readAt(r, buf, size-tail); err != nil {
			return nil, 0, err
		}
		if i := bytes.LastIndex(buf[:tail-endLen+4], []byte(endSignature)); i >= 0 {
			return buf[i:], size - tail + int64(i), nil
		}
	}
	return nil, 0, refuse("", ErrCorrupt, "not a zip archive: no end record in its %d bytes", size)
}

// totals are the numbers that both kinds of end record carry.
type totals struct{ records, size, offset uint64 }

// widen follows the locator in front of the end record at position at, if there is one, to the 64-bit end
// record. It returns the numbers to use and the position of the first of the end records.
func widen(r io.ReaderAt, small totals, at int64) (totals, int64, error) {
	if at < locator64Len+end64Len {
		return small, at, nil
	}
	le := binary.LittleEndian
	buf := make([]byte, locator64Len)
	if err := readAt(r, buf, at-locator64Len); err != nil {
		return totals{}, 0, err
	}
	if string(buf[:4]) != locator64Signature {
		return small, at, nil
	}
	if le.Uint32(buf[4:]) != 0 || le.Uint32(buf[16:]) != 1 {
		return totals{}, 0, refuse("", ErrUnsupported, "the archive is split over several files")
	}
	position := le.Uint64(buf[8:])
	if position > uint64(at-locator64Len-end64Len) {
		return totals{}, 0, refuse("", ErrCorrupt, "the 64-bit end record is not in front of its locator")
	}
	return readEnd64(r, small, int64(position), at-locator64Len)
}

// readEnd64 reads the 64-bit end record at position at, which must reach up to the locator. A number that
// the small record does have must be the same in both.
func readEnd64(r io.ReaderAt, small totals, at, locator int64) (totals, int64, error) {
	le := binary.LittleEndian
	buf := make([]byte, end64Len)
	if err := readAt(r, buf, at); err != nil {
		return totals{}, 0, err
	}
	if string(buf[:4]) != end64Signature || le.Uint64(buf[4:]) != uint64(locator-at)-12 {
		return totals{}, 0, refuse("", ErrCorrupt, "no 64-bit end record where its locator points")
	}
	if le.Uint64(buf[16:]) != 0 || le.Uint64(buf[24:]) != le.Uint64(buf[32:]) {
		return totals{}, 0, refuse("", ErrUnsupported, "the archive is split over several files")
	}
	big := totals{le.Uint64(buf[32:]), le.Uint64(buf[40:]), le.Uint64(buf[48:])}
	agree := func(small, big, absent uint64) bool { return small == absent || small == big }
	if !agree(small.records, big.records, 1<<16-1) || !agree(small.size, big.size, 1<<32-1) || !agree(small.offset, big.offset, 1<<32-1) {
		return totals{}, 0, refuse("", ErrCorrupt, "the two end records differ")
	}
	return big, at, nil
}

// readAt fills buf. An archive that is shorter than announced is a damaged one.
func readAt(r io.ReaderAt, buf []byte, offset int64) error {
	n, err := r.ReadAt(buf, offset)
	if n == len(buf) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return readError("", err)
}
