// Package memo keeps answers to questions, and lets one caller ask while others who want the same answer wait.
package memo

import (
	"context"
	"errors"
	"sync"
)

// Map remembers answers by key. Errors are never remembered: those who wait for a question that fails share its
// error, and whoever comes later asks again. The zero value is ready for use by several goroutines.
type Map[K comparable, V any] struct {
	mu    sync.Mutex
	calls map[K]*call[V]
}

type call[V any] struct {
	done  chan struct{} // closed when the fields below are set
	value V
	err   error
	left  bool // the asker went away (its context ended, or it panicked): a waiter has to ask in its place
}

// errLeft stands in for the outcome until the asker sets one, so that a panic leaves no waiter with an empty answer.
var errLeft = errors.New("memo: asker did not return")

// Get returns the answer for key, asking for it when nobody has yet. When ctx has ended, or ends while another caller
// asks, Get returns the context's error and the other goes on; when the asker's own context ends, one of the waiters
// takes over.
func (m *Map[K, V]) Get(ctx context.Context, key K, ask func(context.Context) (V, error)) (V, error) {
	for {
		if err := ctx.Err(); err != nil {
			var none V
			return none, err
		}
		c, mine := m.join(key)
		if mine {
			return m.ask(ctx, key, c, ask)
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			continue
		}
		if !c.left {
			return c.value, c.err
		}
	}
}

// Forget makes the next caller ask again. Those who wait already get the answer that is on its way.
func (m *Map[K, V]) Forget(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, key)
}

// join returns the call for key, and whether the caller is the one to make it.
func (m *Map[K, V]) join(key K) (c *call[V], mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.calls[key]; ok {
		return c, false
	}
	c = &call[V]{done: make(chan struct{}), err: errLeft, left: true}
	if m.calls == nil {
		m.calls = make(map[K]*call[V])
	}
	m.calls[key] = c
	return c, true
}

func (m *Map[K, V]) ask(ctx context.Context, key K, c *call[V], ask func(context.Context) (V, error)) (V, error) {
	defer func() {
		if c.err != nil {
			m.drop(key, c)
		}
		close(c.done)
	}()
	value, err := ask(ctx)
	c.value, c.err, c.left = value, err, err != nil && ctx.Err() != nil
	return value, err
}

// drop removes a call that failed, unless another has taken its place since.
func (m *Map[K, V]) drop(key K, c *call[V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls[key] == c {
		delete(m.calls, key)
	}
}
