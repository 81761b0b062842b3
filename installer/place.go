package installer

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/semaphore"
)

// lanes bound the archives that are downloaded at a time. As in a supermarket, there is a lane that large purchases may
// not use, so that small packages need not wait for large ones.
type lanes struct {
	all   *semaphore.Weighted
	large *semaphore.Weighted // those that may be large
}

// smallLanes is how many of all downloads are kept for small archives, if there are more of them.
const smallLanes = 2

func newLanes(downloads int) lanes {
	return lanes{
		all:   semaphore.NewWeighted(int64(downloads)),
		large: semaphore.NewWeighted(int64(max(1, downloads-smallLanes))),
	}
}

// place is what a download occupies.
type place struct {
	run      *run
	occupied []*semaphore.Weighted
}

func (p *place) take(ctx context.Context, s *semaphore.Weighted) error {
	if err := s.Acquire(ctx, 1); err != nil {
		return err
	}
	p.occupied = append(p.occupied, s)
	return nil
}

// tryTake takes a place that is free.
func (p *place) tryTake(s *semaphore.Weighted) bool {
	ok := s.TryAcquire(1)
	if ok {
		p.occupied = append(p.occupied, s)
	}
	return ok
}

// leave makes room for others.
func (p *place) leave() {
	for _, s := range p.occupied {
		s.Release(1)
	}
	p.occupied = nil
}

// open opens the archive when its turn has come. How large it is shows only then: a large one for which there is no
// place is closed, and opened again when there is one.
func (t *transfer) open(ctx context.Context) (body io.ReadCloser, size int64, err error) {
	r := t.job.run
	t.place = place{run: r}
	defer func() {
		if err != nil {
			t.place.leave()
		}
	}()
	if body, size, err = t.openOnce(ctx); err != nil {
		return nil, 0, err
	}
	if size >= 0 && size <= r.in.SegmentSize || t.place.tryTake(r.lanes.large) {
		return body, size, nil
	}
	t.place.leave()
	_ = body.Close() // which says nothing about bytes that nobody has read
	if err := t.place.take(ctx, r.lanes.large); err != nil {
		return nil, 0, err
	}
	return t.openOnce(ctx)
}

func (t *transfer) openOnce(ctx context.Context) (io.ReadCloser, int64, error) {
	r := t.job.run
	if err := t.place.take(ctx, r.lanes.all); err != nil {
		return nil, 0, err
	}
	if err := t.place.take(ctx, r.connections); err != nil {
		return nil, 0, err
	}
	body, size, err := t.pkg.Content.Archive.Open(ctx)
	if err != nil {
		return nil, 0, err
	}
	if limit := r.in.Limits.Archive; size > limit {
		_ = body.Close()
		return nil, 0, t.tooLarge(limit)
	}
	return body, size, nil
}

func (t *transfer) tooLarge(limit int64) error {
	return &ArchiveError{Reason: ErrOverLimit, Err: fmt.Errorf("%s has more than %d bytes, see Limits.Archive", t.pkg.Location, limit)}
}
