package web

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// stallTimer ends a connection on which something is awaited for too long. The time that the reader takes between two
// reads does not count, nor the time for which a request waits until others let a connection go.
type stallTimer struct {
	timer *time.Timer
	limit time.Duration

	mu      sync.Mutex
	waiting bool // for a connection
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

// trace makes the timer know whether a request waits for a connection that others have, or for one that is being made.
func (t *stallTimer) trace(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:           func(string) { t.wait() },
		DNSStart:          func(httptrace.DNSStartInfo) { t.connecting() },
		ConnectStart:      func(string, string) { t.connecting() },
		TLSHandshakeStart: t.connecting,
		GotConn:           func(httptrace.GotConnInfo) { t.connected() },
	})
}

func (t *stallTimer) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = true
	t.timer.Stop()
}

// connecting is also called for a connection that is made in vain, when the request has another one already.
func (t *stallTimer) connecting() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting {
		t.timer.Reset(t.limit)
	}
}

func (t *stallTimer) connected() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = false
	t.timer.Reset(t.limit)
}
