package web

import (
	"context"
	"time"
)

// stallTimer ends a connection on which something is awaited for too long. The time that the reader takes between two
// reads does not count.
type stallTimer struct {
	timer *time.Timer
	limit time.Duration
}

// newStallTimer returns a running timer; nil, which does nothing, for a negative limit.
func newStallTimer(limit time.Duration, stop context.CancelCauseFunc) *stallTimer {
	if limit < 0 {
		return nil
	}
	return &stallTimer{limit: limit, timer: time.AfterFunc(limit, func() { stop(ErrStalled) })}
}

func (t *stallTimer) start() {
	if t != nil {
		t.timer.Reset(t.limit)
	}
}

func (t *stallTimer) stop() {
	if t != nil {
		t.timer.Stop()
	}
}
