package installer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

const (
	downloadAttempts = 3                      // from the start, if each has brought bytes before it broke
	downloadBuffer   = 256 << 10              // bytes
	progressInterval = 100 * time.Millisecond // between two Progress events of one download
)

var downloadBuffers = sync.Pool{New: func() any { b := make([]byte, downloadBuffer); return &b }}

// download writes the archive to an empty file and returns its SHA-256 and size. A source that breaks off is asked again
// from the start; sources that can continue where they broke do so on their own.
func (j *job) download(ctx context.Context, pkg *sources.Package, file *os.File) (sum [sha256.Size]byte, size int64, err error) {
	if err := j.downloads.Acquire(ctx, 1); err != nil {
		return sum, 0, err
	}
	defer j.downloads.Release(1)
	for attempt := 1; ; attempt++ {
		d := &transfer{job: j, pkg: pkg, digest: sha256.New(), file: file}
		err := d.run(ctx)
		if err == nil {
			return [sha256.Size]byte(d.digest.Sum(nil)), d.bytes, nil
		}
		if attempt == downloadAttempts || d.bytes == 0 || !errors.Is(err, sources.ErrUnavailable) || ctx.Err() != nil {
			return sum, 0, err
		}
		j.send(Event{Kind: EventRetrying, Location: pkg.Location, Err: err})
		if err := restart(file); err != nil {
			return sum, 0, err
		}
	}
}

func restart(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}

// transfer is one attempt at a download.
type transfer struct {
	job    *job
	pkg    *sources.Package
	digest hash.Hash
	file   *os.File
	bytes  int64 // so far
	size   int64 // expected; -1: unknown
	told   time.Time
}

func (t *transfer) run(ctx context.Context) (err error) {
	body, size, err := t.pkg.Content.Archive.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = also(err, body.Close()) }()
	t.size = size
	if limit := t.job.in.Limits.Archive; size > limit {
		return t.tooLarge(limit)
	}
	t.job.send(Event{Kind: EventFetching, Location: t.pkg.Location, Size: size})
	if err := t.copy(ctx, body); err != nil {
		return err
	}
	if size >= 0 && t.bytes != size {
		return fmt.Errorf("%s: %w: got %d of %d bytes", t.pkg.Location, sources.ErrUnavailable, t.bytes, size)
	}
	t.progress(true)
	return nil
}

func (t *transfer) copy(ctx context.Context, body io.Reader) error {
	buffer := downloadBuffers.Get().(*[]byte)
	defer downloadBuffers.Put(buffer)
	for {
		n, err := body.Read(*buffer)
		if err := t.take((*buffer)[:n]); err != nil {
			return err
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

func (t *transfer) take(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	t.bytes += int64(len(p))
	if limit := t.job.in.Limits.Archive; t.bytes > limit {
		return t.tooLarge(limit)
	}
	t.digest.Write(p) // never fails
	if _, err := t.file.Write(p); err != nil {
		return err
	}
	t.progress(false)
	return nil
}

func (t *transfer) tooLarge(limit int64) error {
	return &ArchiveError{Reason: ErrOverLimit, Err: fmt.Errorf("%s has more than %d bytes, see Limits.Archive", t.pkg.Location, limit)}
}

// progress tells how far the download is, not too often.
func (t *transfer) progress(now bool) {
	if t.job.in.Notify == nil && t.job.in.Logger == nil || !now && time.Since(t.told) < progressInterval {
		return
	}
	t.told = time.Now()
	t.job.send(Event{Kind: EventProgress, Bytes: t.bytes, Size: t.size})
}
