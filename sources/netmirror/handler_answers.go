package netmirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

const (
	patience    = 3 * time.Second  // how long a question may take before an old answer will do
	outagePause = 10 * time.Second // between two tries to ask a source that fails
	maxHeld     = 16 << 20         // bytes of all answers of a kind in memory, as they would be on the disk
	minWeight   = 512              // bytes that an answer counts for at the least
)

// errSlow says that the source has not answered yet.
var errSlow = fmt.Errorf("%w: the source takes its time", sources.ErrUnavailable)

// answer is what the source said about something.
type answer[V any] struct {
	Asked  time.Time `json:"asked"`            // when the source answered last
	Absent bool      `json:"absent,omitempty"` // it then said that there is no such thing (any more)
	Value  V         `json:"value"`            // what it said when there was

	err   error     // why it did not answer when it was asked again; nil: it did, or was not
	tried time.Time // when that was
	lost  bool      // there was an answer, which can no longer be read
	size  int       // in bytes, on the disk
}

// isStale reports that the source was asked for something newer in vain.
func (a answer[V]) isStale() bool { return a.err != nil }

// answers keeps the source's answers to questions of one kind: in memory, and on the disk, where they outlive the process and
// are shared with others.
type answers[K comparable, V any] struct {
	ask      func(ctx context.Context, key K, old answer[V]) (V, error)
	records  records[K]
	fresh    time.Duration // how long an answer stands
	negative time.Duration // how long absence does
	stale    time.Duration // how long an answer stands in for one that cannot be had; zero: for ever
	flights  *flights[K, answer[V]]
	journal  journal

	mu    sync.Mutex
	known map[K]answer[V]
	held  int // bytes of them
}

// get returns the answer, from the source if the one that is known is older than fresh. The error matches
// [sources.ErrNotFound] if the source has no such thing.
func (s *answers[K, V]) get(ctx context.Context, key K, fresh time.Duration) (answer[V], error) {
	old := s.recall(ctx, key)
	if old.isCurrent(fresh, s.negative) {
		return s.judge(old)
	}
	f, err := s.flights.join(key, func(ctx context.Context) (answer[V], error) { return s.renew(ctx, key, fresh), nil })
	if err != nil {
		old.err = err
		return s.judge(old)
	}
	waiting := ctx
	if old.err = errSlow; s.isUsable(old) {
		var stop context.CancelFunc
		waiting, stop = context.WithDeadline(ctx, f.began.Add(patience))
		defer stop()
	}
	renewed, err := f.wait(waiting)
	switch {
	case err == nil:
		return s.judge(renewed)
	case ctx.Err() != nil:
		return old, ctx.Err()
	case waiting.Err() == nil:
		old.err = err
	}
	return s.judge(old)
}

// judge says whether an answer can be used.
func (s *answers[K, V]) judge(a answer[V]) (answer[V], error) {
	switch {
	case !s.isUsable(a):
		return a, a.err
	case a.Absent:
		return a, sources.ErrNotFound
	}
	return a, nil
}

// isUsable reports whether the source has answered, or else, whether its last answer will do. Absence that may have ended will
// not: it would send clients elsewhere.
func (s *answers[K, V]) isUsable(a answer[V]) bool {
	switch {
	case a.err == nil:
		return true
	case a.lost || a.Absent || a.Asked.IsZero() || s.stale < 0:
		return false
	}
	return s.stale == 0 || time.Since(a.Asked) <= s.stale
}

// isCurrent reports that there is no need to ask the source.
func (a answer[V]) isCurrent(fresh, negative time.Duration) bool {
	switch {
	case a.err != nil:
		return isWithin(outagePause, a.tried)
	case a.Asked.IsZero() || a.lost:
		return false
	case a.Absent:
		return isWithin(negative, a.Asked)
	}
	return isWithin(fresh, a.Asked)
}

// isWithin reports whether a time is at most so long ago. One that is to come is not: the clock has been set back.
func isWithin(d time.Duration, t time.Time) bool {
	ago := time.Since(t)
	return 0 <= ago && ago < d
}

// renew asks the source, unless somebody else just has: another process, or a request that was a little faster.
func (s *answers[K, V]) renew(ctx context.Context, key K, fresh time.Duration) answer[V] {
	old := s.latest(ctx, key)
	if !old.isCurrent(fresh, s.negative) {
		old = s.question(ctx, key, old)
	}
	s.note(key, old)
	return old
}

func (s *answers[K, V]) question(ctx context.Context, key K, old answer[V]) answer[V] {
	value, err := s.ask(ctx, key, old)
	renewed := answer[V]{Asked: time.Now(), Value: value}
	if errors.Is(err, sources.ErrNotFound) {
		renewed = answer[V]{Asked: time.Now(), Absent: true, Value: old.Value, lost: old.lost}
		if old.Asked.IsZero() || old.Absent {
			return renewed // nothing is written about all the things that somebody may ask for, and that do not exist
		}
		err = nil
	}
	var record []byte
	if err == nil {
		record, err = renewed.record()
	}
	if err != nil {
		s.journal.failed(ctx, msgNoAnswer, s.records.about(key), err)
		old.err, old.tried = err, time.Now()
		return old
	}
	if err := s.records.save(key, record); err != nil {
		s.journal.failed(ctx, msgAnswerNotKept, s.records.about(key), err)
	}
	renewed.size = len(record)
	return renewed
}

// latest returns what is known, also to other processes. What was never written, such as absence, does not count against what
// was.
func (s *answers[K, V]) latest(ctx context.Context, key K) answer[V] {
	stored := s.load(ctx, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.known[key]
	if !ok || stored.Asked.After(known.Asked) || known.size == 0 && !stored.Asked.IsZero() {
		return stored
	}
	return known
}

// recall returns the answer that is known; the zero value if there is none.
func (s *answers[K, V]) recall(ctx context.Context, key K) answer[V] {
	s.mu.Lock()
	known, ok := s.known[key]
	s.mu.Unlock()
	if ok {
		return known
	}
	known = s.load(ctx, key)
	if !known.Asked.IsZero() {
		s.note(key, known)
	}
	return known
}

func (s *answers[K, V]) note(key K, a answer[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(key)
	for other := range s.known {
		if s.held+a.weight() <= maxHeld {
			break
		}
		s.forget(other)
	}
	s.known[key] = a
	s.held += a.weight()
}

// forget takes an answer out of the memory. s.mu is held.
func (s *answers[K, V]) forget(key K) {
	if known, ok := s.known[key]; ok {
		s.held -= known.weight()
		delete(s.known, key)
	}
}

func (a answer[V]) weight() int { return max(a.size, minWeight) }

// makeRoom removes any entry of a map that is full.
func makeRoom[K comparable, V any](m map[K]V, most int) {
	for key := range m {
		if len(m) < most {
			return
		}
		delete(m, key)
	}
}
