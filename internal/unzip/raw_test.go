package unzip_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// Unix modes as they stand in an entry's external attributes, above bit 16.
const (
	unixFile    = 0o100000
	unixDir     = 0o040000
	unixLink    = 0o120000
	unixChar    = 0o020000
	unixBlock   = 0o060000
	unixPipe    = 0o010000
	unixSocket  = 0o140000
	unixCreator = 3 << 8
)

// rawEntry is one entry as bytes: whatever archive/zip's writer would never write. Pointers override what follows from data.
type rawEntry struct {
	name       string
	data       []byte // as it lies in the archive
	mode       uint32 // Unix mode; 0 = made on DOS
	flags      uint16
	method     uint16
	size       *uint32 // inflated
	csize      *uint32
	crc        *uint32
	offset     *uint32
	localExtra []byte
	extra      []byte
	comment    string
}

func or[T any](p *T, otherwise T) T {
	if p != nil {
		return *p
	}
	return otherwise
}

func ptr[T any](v T) *T { return &v }

// file is a stored plain file.
func file(name string, data string) rawEntry {
	return rawEntry{name: name, data: []byte(data), mode: unixFile | 0o644}
}

// deflated is a deflated plain file that holds data.
func deflated(t testing.TB, name string, data []byte) rawEntry {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	w.Close()
	return rawEntry{
		name: name, data: b.Bytes(), mode: unixFile | 0o644, method: zip.Deflate,
		size: ptr(uint32(len(data))), crc: ptr(crc32.ChecksumIEEE(data)),
	}
}

func put(b []byte, values ...any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b = append(b, v...)
		default:
			b, _ = binary.Append(b, binary.LittleEndian, v)
		}
	}
	return b
}

// rawDirectory lays the entries out: their local headers with data, and the directory for them.
func rawDirectory(entries []rawEntry) (body, directory []byte) {
	for _, e := range entries {
		offset := or(e.offset, uint32(len(body)))
		crc, csize, size := or(e.crc, crc32.ChecksumIEEE(e.data)), or(e.csize, uint32(len(e.data))), or(e.size, uint32(len(e.data)))
		common := put(nil, uint16(20), e.flags, e.method, uint32(0), crc, csize, size, uint16(len(e.name)))
		body = put(body, "PK\x03\x04", common, uint16(len(e.localExtra)), e.name, e.localExtra, e.data)
		creator := uint16(20)
		if e.mode != 0 {
			creator |= unixCreator
		}
		directory = put(directory, "PK\x01\x02", creator, common, uint16(len(e.extra)), uint16(len(e.comment)),
			uint32(0), e.mode<<16, offset, e.name, e.extra, e.comment)
	}
	return body, directory
}

// rawEnd is an end record.
func rawEnd(records, size, offset int, comment string) []byte {
	return put(nil, "PK\x05\x06", uint32(0), uint16(records), uint16(records), uint32(size), uint32(offset), uint16(len(comment)), comment)
}

// rawEnd64 is a 64-bit end record with its locator; at is where it goes.
func rawEnd64(records, size, offset, at uint64) []byte {
	b := put(nil, "PK\x06\x06", uint64(44), uint32(45<<16|45), uint64(0), records, records, size, offset)
	return put(b, "PK\x06\x07", uint32(0), at, uint32(1))
}

// rawZip is a whole archive.
func rawZip(entries ...rawEntry) []byte {
	body, directory := rawDirectory(entries)
	return put(nil, body, directory, rawEnd(len(entries), len(directory), len(body), ""))
}

// rawZip64 is a whole archive that has both kinds of end record, the small one without numbers.
func rawZip64(entries ...rawEntry) []byte {
	body, directory := rawDirectory(entries)
	at := len(body) + len(directory)
	big := rawEnd64(uint64(len(entries)), uint64(len(directory)), uint64(len(body)), uint64(at))
	return put(nil, body, directory, big, rawEnd(1<<16-1, 1<<32-1, 1<<32-1, ""))
}
