package installer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/purveyor-dev/purveyor/sources"
)

const (
	downloadBuffer = 256 << 10 // bytes
	drainable      = 64 << 10  // bytes of a body that are read, rather than close its connection
)

var downloadBuffers = sync.Pool{New: func() any { return new([downloadBuffer]byte) }}

// filler fills a spool. It begins with the connection on which the archive was opened. If the archive is large and its
// source offers ranges, it fetches the archive's end at once, so that unpacking can begin, and takes more connections
// if that makes it faster.
type filler struct {
	*transfer
	body   io.ReadCloser
	size   int64               // -1: unknown
	ranges sources.RangeOpener // nil: there is only the body
	parts  parts
	team   team
}

func newFiller(t *transfer, body io.ReadCloser, size int64) *filler {
	f := &filler{transfer: t, body: body, size: size}
	f.parts = parts{end: size, segment: t.job.in.SegmentSize, sharing: t.job.in.ConnectionsPerArchive}
	if size < 0 {
		f.parts.end = math.MaxInt64
	}
	if ranges, ok := body.(sources.RangeOpener); ok && !t.whole && size > t.job.in.SegmentSize && size > tailSize {
		f.ranges = ranges
	}
	return f
}

// fill returns when everything is there, or cannot be had.
func (f *filler) fill(ctx context.Context) error {
	f.team.begin(f.job.arrived.Load())
	if f.ranges != nil {
		f.inParts = true
		f.fetchTail(ctx)
	}
	verdict, err := f.fetchFirst(ctx)
	f.team.report(err)
	f.team.wait.Wait()
	if verdict == nil && f.ranges != nil && !f.parts.allTaken() {
		f.team.report(f.work(ctx, always)) // somebody failed when nobody else was left to take over
	}
	switch {
	case verdict != nil:
		return verdict
	case f.size >= 0 && f.spool.Bytes() == f.size:
		return nil // whoever failed, others were able to replace
	}
	return f.team.failed()
}

// fetchFirst reads the body for as long as nobody else has what follows, and then helps with the rest. The verdict is
// on the body as a whole.
func (f *filler) fetchFirst(ctx context.Context) (verdict, err error) {
	at, err := f.readBody(ctx)
	verdict = f.closeBody(at, err)
	if err != nil || verdict != nil || f.ranges == nil {
		return verdict, err
	}
	return nil, f.work(ctx, always)
}

func always() bool { return true }

// readBody returns how far it got.
func (f *filler) readBody(ctx context.Context) (at int64, err error) {
	for {
		next, ok := f.parts.follow(at)
		if !ok {
			return at, nil
		}
		at, err = f.copy(ctx, f.body, next)
		if err == io.EOF && f.size < 0 {
			return at, nil
		}
		if err != nil {
			f.parts.giveBack(part{at, next.to})
			return at, f.explain(err, at)
		}
	}
}

// closeBody closes the body. What little may be left is read first, so that the connection can be used again. Only of a
// body that was read to its end, its last error and the closing say something about what was read.
func (f *filler) closeBody(at int64, failed error) error {
	if left := f.size - at; failed == nil && left > 0 && left <= drainable {
		_, _ = io.CopyN(io.Discard, f.body, left)
	}
	if failed == nil && at == f.size {
		failed = f.atEnd()
	}
	err := f.body.Close()
	if at < f.size {
		return nil
	}
	return cmp.Or(failed, err)
}

// atEnd reads where the body should end.
func (f *filler) atEnd() error {
	switch n, err := f.body.Read(make([]byte, 1)); {
	case n > 0:
		return fmt.Errorf("%s: %w: more than the announced %d bytes came", f.pkg.Location, sources.ErrUnavailable, f.size)
	case err != io.EOF:
		return err
	}
	return nil
}

// work fetches parts until there are none left, as long as it may.
func (f *filler) work(ctx context.Context, mayGoOn func() bool) error {
	for {
		next, ok := f.parts.take()
		if !ok {
			return nil
		}
		if err := f.fetch(ctx, next); err != nil || !mayGoOn() {
			return err
		}
	}
}

// fetch fetches one part.
func (f *filler) fetch(ctx context.Context, p part) error {
	at, err := f.fetchRange(ctx, p)
	if err == nil {
		return nil
	}
	f.parts.giveBack(part{at, p.to})
	if f.spool.Err() != nil {
		return err
	}
	err = &partError{f.explain(err, at)}
	if at == p.to {
		f.spool.Fail(err) // it is about bytes that are there already, and nobody can replace them
	}
	return err
}

func (f *filler) fetchRange(ctx context.Context, p part) (at int64, err error) {
	body, err := f.ranges.OpenRange(ctx, p.from, p.to-p.from)
	if err != nil {
		return p.from, err
	}
	defer func() { err = also(err, body.Close()) }()
	return f.copy(ctx, body, p)
}

// copy brings a part from a reader to the spool, and returns how far it got.
func (f *filler) copy(ctx context.Context, from io.Reader, p part) (at int64, err error) {
	buffer := downloadBuffers.Get().(*[downloadBuffer]byte)
	defer downloadBuffers.Put(buffer)
	for at = p.from; at < p.to && err == nil; {
		var n int
		n, err = readFull(from, buffer[:min(downloadBuffer, p.to-at)])
		if writeErr := f.write(buffer[:n], at); writeErr != nil {
			return at, writeErr
		}
		at += int64(n)
		if err == nil {
			err = ctx.Err()
		}
		f.told.at(f.spool.Bytes)
		f.reinforce(ctx)
	}
	if at == p.to && err == io.EOF {
		err = nil
	}
	return at, err
}

func (f *filler) write(p []byte, at int64) error {
	if limit := f.job.in.Limits.Archive; at+int64(len(p)) > limit {
		return f.tooLarge(limit)
	}
	if len(p) == 0 {
		return nil
	}
	f.job.arrived.Add(int64(len(p)))
	_, err := f.spool.WriteAt(p, at)
	return err
}

// readFull reads until p is full or the reader ends, with whatever error it has. (That of io.ReadFull would make a
// broken connection of a short one.)
func readFull(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	return n, err
}

// explain says what the end of a body means that comes too early.
func (f *filler) explain(err error, at int64) error {
	if err == io.EOF {
		return fmt.Errorf("%s: %w: the transfer ended after %d of %d bytes", f.pkg.Location, sources.ErrUnavailable, at, f.size)
	}
	return err
}

// partError is a failure to fetch a part of an archive. That says nothing about fetching it as a whole.
type partError struct{ err error }

func (e *partError) Error() string { return e.err.Error() }
func (e *partError) Unwrap() error { return e.err }
