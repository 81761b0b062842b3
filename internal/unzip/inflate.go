package unzip

import (
	"bufio"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// readAhead is how many bytes of compressed data are asked for at a time.
const readAhead = 64 << 10

// engine is what an inflater is made of. It weighs some 100 KiB, and a package may hold thousands of files: so they
// are pooled.
type engine struct {
	in  *bufio.Reader
	out io.ReadCloser // also a flate.Resetter
}

var engines = sync.Pool{New: func() any {
	in := bufio.NewReaderSize(nil, readAhead)
	return &engine{in, flate.NewReader(in)}
}}

// inflater reads one deflated file.
type inflater struct {
	*engine // nil once closed
}

// newInflater is a zip.Decompressor. It inflates a good quarter faster than the standard library's.
func newInflater(r io.Reader) io.ReadCloser {
	e := engines.Get().(*engine)
	e.in.Reset(r)
	_ = e.out.(flate.Resetter).Reset(e.in, nil) // without a preset dictionary there is nothing to fail on
	return &inflater{e}
}

// Read inflates.
func (i *inflater) Read(p []byte) (int, error) {
	if i.engine == nil {
		return 0, io.ErrClosedPipe
	}
	return i.out.Read(p)
}

// Close gives the engine back, and lets go of the archive.
func (i *inflater) Close() error {
	if i.engine != nil {
		i.in.Reset(nil)
		engines.Put(i.engine)
		i.engine = nil
	}
	return nil
}

var _ io.ReadCloser = (*inflater)(nil)
