package hashing

import (
	"context"
	"crypto/sha256"
	"io"
	"sync"
)

// bufferBytes is the size of the buffers through which this package reads, in bytes. Smaller ones cost time, larger
// ones gain none.
const bufferBytes = 256 << 10

var buffers = sync.Pool{New: func() any { return new([bufferBytes]byte) }}

// Archive returns the "zh" hash of a zip archive, which it reads to its end. The error is that of r or of ctx, which
// is looked at between two reads.
func Archive(ctx context.Context, r io.Reader) (Hash, error) {
	sum, err := digest(ctx, r)
	if err != nil {
		return "", err
	}
	return ZH(sum), nil
}

// digest returns the SHA-256 of all that r has.
func digest(ctx context.Context, r io.Reader) (sum [sha256.Size]byte, err error) {
	buffer := buffers.Get().(*[bufferBytes]byte)
	defer buffers.Put(buffer)
	hash := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		n, err := r.Read(buffer[:])
		hash.Write(buffer[:n])
		if err == io.EOF {
			hash.Sum(sum[:0])
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
	}
}
