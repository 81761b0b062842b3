// Package spool is a file that is read while it is being filled: from its beginning, from its end, by one writer or
// several. Reads wait for the bytes that are not there yet, so that what needs the whole file in principle, such as a
// reader of zip archives, can work on a download in progress.
//
// Each byte is written once, by whoever brings it first. So what the SHA-256 says is true of what readers got, even if
// writers disagree about the contents.
package spool

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"sync"
)

const (
	// Unknown is the size of a file that is known only when the file ends.
	Unknown int64 = -1

	// Batch is for how many bytes a read waits that has to wait, even if it needs less: a reader that is faster than
	// the writers is not woken for each of their packets.
	Batch int64 = 1 << 20
)

// ErrOutside says that bytes were written beyond the announced size.
var ErrOutside = errors.New("there are more bytes than announced")

// Spool is a file that is being filled. It is safe for concurrent use.
type Spool struct {
	file *os.File
	sums summer

	mu      sync.Mutex
	changed sync.Cond // there is more, or there will be no more
	size    int64     // Unknown until Finish, perhaps
	taken   spans     // written, or being written
	present spans     // written
	failed  error     // why there will be no more
	waiting int       // reads

	discarded int64 // nothing before it can be read
}

// New returns a spool over an empty file. The size is in bytes, or [Unknown]. The file stays the caller's to close.
func New(file *os.File, size int64) *Spool {
	s := &Spool{file: file, size: size, sums: summer{digest: sha256.New()}}
	s.changed.L = &s.mu
	return s
}

// WriteAt adds bytes. Those that are there already, or that another writer is adding, are dropped. The error is one of
// the file system, [ErrOutside], or why the spool had failed; it fails the spool.
func (s *Spool) WriteAt(p []byte, offset int64) (int, error) {
	fresh, err := s.take(offset, offset+int64(len(p)))
	for _, part := range fresh {
		if err == nil {
			_, err = s.file.WriteAt(p[part.from-offset:part.to-offset], part.from)
		}
	}
	if err == nil {
		s.add(fresh)
		err = s.sum(p, offset, fresh)
	}
	if err != nil {
		s.Fail(err)
		return 0, err
	}
	return len(p), nil
}

// take reserves what nobody has of a range.
func (s *Spool) take(from, to int64) ([]span, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
		return nil, s.failed
	case s.size != Unknown && to > s.size:
		return nil, ErrOutside
	}
	fresh := s.taken.missing(from, to)
	s.taken.add(from, to)
	return fresh, nil
}

func (s *Spool) add(parts []span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, part := range parts {
		s.present.add(part.from, part.to)
	}
	s.changed.Broadcast()
}

// Finish says that nothing comes any more: what is there is the whole file. A spool whose announced size is not
// reached fails with [io.ErrUnexpectedEOF].
func (s *Spool) Finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size == Unknown {
		s.size = s.present.until(0)
	}
	if s.failed == nil && s.present.until(0) < s.size {
		s.failed = io.ErrUnexpectedEOF
	}
	s.changed.Broadcast()
	return s.failed
}

// Fail ends the spool: reads of bytes that are not there, and all writes, fail with err. The first failure counts.
func (s *Spool) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
	s.changed.Broadcast()
}

// Err returns why the spool failed; nil if it did not.
func (s *Spool) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Bytes returns how many bytes are there.
func (s *Spool) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.present.total()
}

// Has reports without waiting whether all bytes of a range are there, as far as the file has them.
func (s *Spool) Has(offset, length int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.has(offset, s.within(offset+length))
}

// Hungry reports whether a read waits for bytes.
func (s *Spool) Hungry() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting > 0
}

// Size waits until the size in bytes is known.
func (s *Spool) Size() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.size == Unknown && s.failed == nil {
		s.changed.Wait()
	}
	if s.size == Unknown {
		return 0, s.failed
	}
	return s.size, nil
}

// Await waits until the bytes of a range are there, as far as the file has them, and if it has to wait, for [Batch]
// bytes.
func (s *Spool) Await(offset, length int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if offset < s.discarded {
		return ErrDiscarded
	}
	if s.has(offset, s.within(offset+length)) {
		return nil
	}
	s.waiting++
	defer func() { s.waiting-- }()
	for {
		if s.failed != nil {
			return s.failed
		}
		s.changed.Wait()
		if s.has(offset, s.within(offset+max(length, Batch))) {
			return nil
		}
	}
}

// within cuts a range off at the end of the file.
func (s *Spool) within(to int64) int64 {
	if s.size == Unknown {
		return to
	}
	return min(to, s.size)
}

func (s *Spool) has(from, to int64) bool { return s.present.until(from) >= to }

// ReadAt waits for the bytes, and reads them.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) {
	if err := s.Await(offset, int64(len(p))); err != nil {
		return 0, err
	}
	return s.file.ReadAt(p, offset)
}

var (
	_ io.ReaderAt = (*Spool)(nil)
	_ io.WriterAt = (*Spool)(nil)
)
