package installer

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/purveyor-dev/purveyor/internal/spool"
	"github.com/purveyor-dev/purveyor/internal/unzip"
	"github.com/purveyor-dev/purveyor/sources"
)

const downloadAttempts = 3 // from the start, if each has brought bytes before it broke

// received is an archive that has arrived and was unpacked on the way. Nothing of it is verified.
type received struct {
	size   int64 // bytes of the archive
	sum    [sha256.Size]byte
	report *unzip.Report
}

// receive downloads the archive to an empty file, and unpacks it into the empty directory dir while it arrives; "" only
// computes the hashes. A source that breaks off is asked again from the start; sources that can continue where they
// broke do so on their own.
func (j *job) receive(ctx context.Context, pkg *sources.Package, file *os.File, dir string) (*received, error) {
	whole := false
	for attempt := 1; ; attempt++ {
		t := &transfer{job: j, pkg: pkg, file: file, dir: dir, whole: whole}
		got, err := t.run(ctx)
		if err == nil {
			return got, nil
		}
		if attempt == downloadAttempts || !t.worthRepeating(err) || ctx.Err() != nil {
			return nil, err
		}
		whole = whole || t.inParts
		j.send(Event{Kind: EventRetrying, Location: pkg.Location, Err: err})
		if err := restart(file, dir); err != nil {
			return nil, err
		}
	}
}

// restart empties what an attempt has begun to fill.
func restart(file *os.File, dir string) error {
	if err := file.Truncate(0); err != nil || dir == "" {
		return err
	}
	if err := removeAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

// transfer is one attempt at a download.
type transfer struct {
	job   *job
	pkg   *sources.Package
	file  *os.File
	dir   string
	whole bool // not in parts

	place   place
	spool   *spool.Spool
	inParts bool // it was fetched in parts
	outcome outcome
	told    progress
}

// worthRepeating reports whether another attempt may fare better: after bytes have come, and as a whole where it was a
// part that failed.
func (t *transfer) worthRepeating(err error) bool {
	var part *partError
	return t.spool != nil && t.spool.Bytes() > 0 && (errors.Is(err, sources.ErrUnavailable) || errors.As(err, &part))
}

// outcome is the first failure of those who work on one archive; what fails after it fails because of it.
type outcome struct {
	once sync.Once
	err  error
}

func (o *outcome) fail(err error) { o.once.Do(func() { o.err = err }) }

// run downloads and unpacks side by side.
func (t *transfer) run(ctx context.Context) (*received, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	body, size, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	t.job.send(Event{Kind: EventFetching, Location: t.pkg.Location, Size: size})
	t.spool = spool.New(t.file, size)
	var download sync.WaitGroup
	download.Go(func() {
		defer t.place.leave()
		if err := t.download(ctx, body, size); err != nil {
			t.outcome.fail(err)
			t.spool.Fail(err)
		}
	})
	report, err := t.unpack(ctx)
	if err != nil {
		t.outcome.fail(err)
		stop()
	}
	download.Wait()
	if t.outcome.err != nil {
		return nil, t.outcome.err
	}
	return &received{size: t.spool.Bytes(), sum: t.spool.Sum(), report: report}, nil
}

// download fills the spool.
func (t *transfer) download(ctx context.Context, body io.ReadCloser, size int64) error {
	t.told.begin(t.job, size)
	if err := newFiller(t, body, size).fill(ctx); err != nil {
		return err
	}
	if err := t.spool.Finish(); err != nil {
		return err
	}
	t.told.end(t.spool.Bytes())
	t.job.send(Event{Kind: EventUnpacking})
	return nil
}

// unpack extracts the archive as far as it is there, waiting for the rest.
func (t *transfer) unpack(ctx context.Context) (*unzip.Report, error) {
	size, err := t.spool.Size()
	if err != nil {
		return nil, err
	}
	turns := t.job.unpacks
	if err := turns.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer turns.Release(1)
	archive := &arriving{Spool: t.spool, turns: turns, keep: t.dir == ""}
	report, err := unzip.Extract(ctx, archive, size, t.dir, t.job.in.Limits.unzip())
	return report, archiveError(err)
}
