package spool

import (
	"crypto/sha256"
	"hash"
	"sync"
)

// readBack is the size of the buffers in bytes.
const readBack = 256 << 10

var buffers = sync.Pool{New: func() any { return new([readBack]byte) }}

// summer computes the digest of the bytes in their order. Bytes that arrive in order are taken from the writer's
// buffer, others are read back once those before them are there, while the system still has them in memory.
type summer struct {
	mu     sync.Mutex
	busy   bool // a writer feeds the digest
	done   int64
	digest hash.Hash
}

// begin gives the caller the right to feed the digest; false while another has it.
func (s *summer) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	began := !s.busy
	s.busy = true
	return began
}

func (s *summer) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
}

// sum feeds the digest with what follows. The fresh parts of p, which begins at offset, were written by the caller.
func (s *Spool) sum(p []byte, offset int64, fresh []span) error {
	// Whoever adds bytes while another feeds the digest leaves them to the other, who looks again after the end.
	for s.summable() && s.sums.begin() {
		err := s.feed(p, offset, fresh)
		s.sums.end()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Spool) summable() bool {
	done := s.summed()
	return s.available(done) > done
}

// summed returns how many bytes are part of the sum.
func (s *Spool) summed() int64 {
	s.sums.mu.Lock()
	defer s.sums.mu.Unlock()
	return s.sums.done
}

func (s *Spool) feed(p []byte, offset int64, fresh []span) error {
	for _, part := range fresh {
		if from := s.sums.done; part.from <= from && from < part.to {
			s.count(p[from-offset : part.to-offset])
		}
	}
	return s.catchUp()
}

// catchUp reads back what others have written.
func (s *Spool) catchUp() error {
	if !s.summable() {
		return nil
	}
	buffer := buffers.Get().(*[readBack]byte)
	defer buffers.Put(buffer)
	for {
		from := s.sums.done
		n := min(readBack, s.available(from)-from)
		if n <= 0 {
			return nil
		}
		if _, err := s.file.ReadAt(buffer[:n], from); err != nil {
			return err
		}
		s.count(buffer[:n])
	}
}

// count feeds bytes to the digest. Only its feeder writes done, so only others need the lock to read it.
func (s *Spool) count(p []byte) {
	s.sums.digest.Write(p) // never fails
	s.sums.mu.Lock()
	defer s.sums.mu.Unlock()
	s.sums.done += int64(len(p))
}

// available returns where the bytes end that are there from an offset on.
func (s *Spool) available(from int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.present.until(from)
}

// Sum returns the SHA-256 of the file. It is complete once Finish has succeeded and all writes have returned.
func (s *Spool) Sum() [sha256.Size]byte {
	s.sums.mu.Lock()
	defer s.sums.mu.Unlock()
	return [sha256.Size]byte(s.sums.digest.Sum(nil))
}
