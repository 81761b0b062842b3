package ocimirror

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/web"
)

var errNotMounted = errors.New("the registry does not mount the blob")

// storingPerMiB is how long a registry may take to store a blob that it has received, besides the usual patience.
const storingPerMiB = time.Second

// cargo is the bytes of a blob on their way. It hashes them once more, and ends the request when nothing moves.
type cargo struct {
	io.ReadCloser
	want  ocispec.Descriptor
	size  int64
	sum   hash.Hash
	stall time.Duration
	timer *time.Timer             // nil: patience without end
	stop  context.CancelCauseFunc // ends the request
}

func newCargo(content io.ReadCloser, want ocispec.Descriptor, stall time.Duration, stop context.CancelCauseFunc) *cargo {
	c := &cargo{ReadCloser: content, want: want, sum: sha256.New(), stall: stall, stop: stop}
	if stall >= 0 {
		c.timer = time.AfterFunc(stall, func() { stop(web.ErrStalled) })
		c.timer.Stop() // until somebody comes for the bytes: the registry may be asked for a place first, and say when
	}
	return c
}

// await lets the time begin in which something has to happen.
func (c *cargo) await(more time.Duration) {
	if c.timer != nil {
		c.timer.Reset(c.stall + more)
	}
}

// Read implements [io.Reader]. If the bytes are not those that were verified, the registry does not get the last ones.
func (c *cargo) Read(b []byte) (int, error) {
	c.await(0)
	n, err := c.ReadCloser.Read(b)
	c.sum.Write(b[:n])
	c.size += int64(n)
	if c.size < c.want.Size && err != io.EOF {
		return n, err
	}
	if changed := c.check(); changed != nil {
		c.stop(changed)
		return 0, changed
	}
	c.await(time.Duration(c.size>>20) * storingPerMiB)
	return n, err
}

func (c *cargo) check() error {
	got := digest.NewDigest(digest.SHA256, c.sum)
	if c.size == c.want.Size && got == c.want.Digest {
		return nil
	}
	return &hashing.MismatchError{By: hashing.ByOriginal, Want: []hashing.Hash{zhOf(c.want.Digest)}, Got: []hashing.Hash{zhOf(got)}}
}

// end lets go of the file and the time.
func (c *cargo) end() {
	if c.timer != nil {
		c.timer.Stop()
	}
	_ = c.Close() // it was only read
}

// zhOf returns the hash of an archive whose digest is a SHA-256.
func zhOf(d digest.Digest) hashing.Hash {
	return hashing.Hash(hashing.SchemeZH + ":" + d.Encoded())
}
