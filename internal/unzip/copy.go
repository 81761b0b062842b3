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
	// hashBeside is the size from which a file is hashed beside inflating it: about a fifth faster where a core is idle.
	hashBeside = 4 << 20
)

var buffers = sync.Pool{New: func() any { return new([bufferLen]byte) }}

// copyHashed copies src, announced as size bytes, to dst and returns the SHA-256 of what it copied.
func copyHashed(ctx context.Context, dst io.Writer, src io.Reader, size int64) ([sha256.Size]byte, error) {
	a, b := buffers.Get().(*[bufferLen]byte), buffers.Get().(*[bufferLen]byte)
	defer buffers.Put(a)
	defer buffers.Put(b)
	var d digester = inline{sha256.New()}
	if size >= hashBeside {
		d = newBeside()
	}
	err := relay(ctx, dst, src, d, a[:], b[:])
	return d.sum(), err // sum also ends the use of the buffers
}

// relay moves the bytes, in turns through two buffers: the digester may go on reading one while the other is filled.
func relay(ctx context.Context, dst io.Writer, src io.Reader, d digester, filling, resting []byte) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := fill(src, filling)
		d.add(filling[:n])
		if _, err := dst.Write(filling[:n]); err != nil {
			return err
		}
		if readErr == io.EOF {
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

// digester hashes a sequence of buffers. It may read a buffer until the next add or sum returns.
type digester interface {
	add(p []byte)
	sum() [sha256.Size]byte
}

// inline hashes at once.
type inline struct{ hash.Hash }

func (d inline) add(p []byte) { d.Write(p) }

func (d inline) sum() (sum [sha256.Size]byte) {
	d.Sum(sum[:0])
	return sum
}

// beside hashes in a goroutine of its own, which sum ends. The channel has no room, so when add returns the
// goroutine is done with the buffer before.
type beside struct {
	feed   chan []byte
	result chan [sha256.Size]byte
}

func newBeside() beside {
	d := beside{make(chan []byte), make(chan [sha256.Size]byte)}
	go func() {
		h := inline{sha256.New()}
		for p := range d.feed {
			h.add(p)
		}
		d.result <- h.sum()
	}()
	return d
}

func (d beside) add(p []byte) { d.feed <- p }

func (d beside) sum() [sha256.Size]byte {
	close(d.feed)
	return <-d.result
}

var (
	_ digester = inline{}
	_ digester = beside{}
)
