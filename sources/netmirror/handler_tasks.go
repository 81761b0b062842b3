package netmirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errBusy    = errors.New("too much is waiting already")
	errClosing = errors.New("the mirror is shutting down")
)

// tasks are what goes on behind the requests, and does not end with them.
type tasks struct {
	ctx  context.Context // of all tasks: they belong to the handler, not to a call
	stop context.CancelFunc

	mu     sync.Mutex
	closed bool
	wait   sync.WaitGroup
}

func newTasks() *tasks {
	ctx, stop := context.WithCancel(context.Background())
	return &tasks{ctx: ctx, stop: stop}
}

// start begins a task, unless the handler is being closed.
func (t *tasks) start(run func(context.Context)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.follow(run)
	return true
}

// follow begins a task in any case. Only a task may do so.
func (t *tasks) follow(run func(context.Context)) {
	t.wait.Go(func() { run(t.ctx) })
}

func (t *tasks) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// close lets no further tasks start, and waits for those that run. If ctx ends before they do, they are told to give up.
func (t *tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.wait.Wait()
	}()
	defer t.stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flights do each thing once for all who want it at the same time. Nobody who leaves ends a flight: others may wait for it,
// and who comes later needs the same.
type flights[K comparable, V any] struct {
	tasks   *tasks
	slots   chan struct{} // one for each flight in the air
	most    int           // in the air, or waiting for a slot
	timeout time.Duration // of one in the air
	pause   time.Duration // how long a failure stands before the same is tried again

	mu    sync.Mutex
	known map[K]*flight[V]
}

type flight[V any] struct {
	began time.Time
	done  chan struct{} // closed when the fields below are set
	value V
	err   error
	until time.Time // how long a failure stands
}

func newFlights[K comparable, V any](t *tasks, inTheAir, most int, timeout, pause time.Duration) *flights[K, V] {
	return &flights[K, V]{
		tasks: t, slots: make(chan struct{}, inTheAir), most: most, timeout: timeout, pause: pause,
		known: make(map[K]*flight[V]),
	}
}

// join returns the flight for a key, and starts it if there is none.
func (g *flights[K, V]) join(key K, run func(context.Context) (V, error)) (*flight[V], error) {
	return g.joinBy(g.tasks.start, key, run)
}

// joinFromTask is join for what another task has begun: it goes on while the handler is being closed.
func (g *flights[K, V]) joinFromTask(key K, run func(context.Context) (V, error)) (*flight[V], error) {
	return g.joinBy(func(run func(context.Context)) bool { g.tasks.follow(run); return true }, key, run)
}

func (g *flights[K, V]) joinBy(start func(func(context.Context)) bool, key K, run func(context.Context) (V, error)) (*flight[V], error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.known[key]; f != nil && !f.isOver(time.Now()) {
		return f, nil
	}
	delete(g.known, key)
	if len(g.known) >= g.most {
		g.forgetFailures()
	}
	if len(g.known) >= g.most {
		return nil, errBusy
	}
	f := &flight[V]{began: time.Now(), done: make(chan struct{})}
	if !start(func(ctx context.Context) { g.fly(ctx, key, f, run) }) {
		return nil, errClosing
	}
	g.known[key] = f
	return f, nil
}

// isOver reports whether a flight has failed long enough ago. Those that did not fail are not kept.
func (f *flight[V]) isOver(now time.Time) bool {
	select {
	case <-f.done:
		return now.After(f.until)
	default:
		return false
	}
}

// forgetFailures makes room: what has failed is to keep nothing else waiting.
func (g *flights[K, V]) forgetFailures() {
	for key, f := range g.known {
		select {
		case <-f.done:
			delete(g.known, key)
		default:
		}
	}
}

func (g *flights[K, V]) fly(ctx context.Context, key K, f *flight[V], run func(context.Context) (V, error)) {
	defer g.land(key, f)
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		f.err = ctx.Err()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	f.value, f.err = guarded(ctx, run)
}

// guarded turns a panic of the program's own functions into an error, as net/http does for those in a request.
func guarded[V any](ctx context.Context, run func(context.Context) (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return run(ctx)
}

func (g *flights[K, V]) land(key K, f *flight[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.err == nil {
		delete(g.known, key)
	}
	f.until = time.Now().Add(g.pause)
	close(f.done)
}

// wait returns the outcome, or the error of a context that ends before.
func (f *flight[V]) wait(ctx context.Context) (V, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}
