package unzip

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"sync"
)

const (
	bufferLen = 256 << 10
	// sinkBeside is the size from which a file is hashed and written beside inflating it: about a quarter faster where a
	// core is idle.
	sinkBeside = 4 << 20
)

var buffers = sync.Pool{New: func() any { return new([bufferLen]byte) }}

// copyHashed copies src, announced as size bytes, to dst and returns the SHA-256 of what it copied.
func copyHashed(ctx context.Context, dst io.Writer, src io.Reader, size int64) ([sha256.Size]byte, error) {
	a, b := buffers.Get().(*[bufferLen]byte), buffers.Get().(*[bufferLen]byte)
	defer buffers.Put(a)
	defer buffers.Put(b)
	var s sink = newInline(dst)
	if size >= sinkBeside {
		s = newBeside(dst)
	}
	err := relay(ctx, s, src, a[:], b[:])
	sum, writeErr := s.end() // also ends the use of the buffers
	if writeErr != nil {
		err = writeErr
	}
	return sum, err
}

// relay moves the bytes, in turns through two buffers: the sink may go on reading one while the other is filled.
func relay(ctx context.Context, s sink, src io.Reader, filling, resting []byte) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := fill(src, filling)
		if ok := s.add(filling[:n]); !ok || readErr == io.EOF {
			return nil
		}
		if readErr != nil {
			return readErr
		}
		filling, resting = resting, filling
	}
}

// fill reads until buf is full or src ends. Unlike io.ReadFull it passes on the error of src as it is: an
// inflater's io.ErrUnexpectedEOF is damage, io.EOF is not.
func fill(src io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = src.Read(buf[n:])
		n += m
	}
	return n, err
}

// sink writes and hashes a sequence of buffers. It may read a buffer until the next add or end returns.
type sink interface {
	add(p []byte) (ok bool) // false: there is no point in going on, end says why
	end() ([sha256.Size]byte, error)
}

// inline does it at once.
type inline struct {
	dst    io.Writer
	digest hash.Hash
	err    error
}

func newInline(dst io.Writer) *inline { return &inline{dst: dst, digest: sha256.New()} }

func (s *inline) add(p []byte) bool {
	if s.err == nil {
		_, s.err = s.dst.Write(p)
	}
	s.digest.Write(p) // never fails
	return s.err == nil
}

func (s *inline) end() (sum [sha256.Size]byte, err error) {
	s.digest.Sum(sum[:0])
	return sum, s.err
}

// beside does it in a goroutine of its own, which end ends. The channel has no room, so when add returns the
// goroutine is done with the buffer before.
type beside struct {
	feed   chan []byte
	failed chan struct{} // closed when there is no point in going on
	done   chan struct{} // closed at the end
	inline *inline       // the goroutine's, until it is done
}

func newBeside(dst io.Writer) *beside {
	s := &beside{make(chan []byte), make(chan struct{}), make(chan struct{}), newInline(dst)}
	go s.run()
	return s
}

func (s *beside) run() {
	defer close(s.done)
	for p := range s.feed {
		if !s.inline.add(p) {
			close(s.failed)
			return
		}
	}
}

func (s *beside) add(p []byte) bool {
	select {
	case s.feed <- p:
		return true
	case <-s.failed:
		return false
	}
}

func (s *beside) end() ([sha256.Size]byte, error) {
	close(s.feed)
	<-s.done
	return s.inline.end()
}

var (
	_ sink = (*inline)(nil)
	_ sink = (*beside)(nil)
)
