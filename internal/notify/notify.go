// Package notify delivers the events of one call: to a function, one at a time, and as records to a log.
package notify

import (
	"context"
	"log/slog"
	"sync"
)

// Notifier delivers events. It is safe for concurrent use, and must not be copied once it is used.
type Notifier[E any] struct {
	Context context.Context // of the call: handlers of logs find traces in it
	Notify  func(E)         // nil: nobody
	Logger  *slog.Logger    // nil: none
	Level   func(E) slog.Level
	Record  func(E) Record // what the log gets

	mu sync.Mutex
}

// Record is an event in a log.
type Record struct {
	Message    string
	Attributes Attributes
}

// Send delivers an event.
func (n *Notifier[E]) Send(e E) {
	if n.Logger != nil {
		n.log(n.Level(e), e)
	}
	if n.Notify != nil {
		n.Alone(func() { n.Notify(e) })
	}
}

func (n *Notifier[E]) log(level slog.Level, e E) {
	if n.Logger.Enabled(n.Context, level) { // most events are progress, which few want to read
		r := n.Record(e)
		n.Logger.LogAttrs(n.Context, level, r.Message, r.Attributes...)
	}
}

// Alone calls a function while no event is delivered to Notify.
func (n *Notifier[E]) Alone(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// Attributes are those of a record that apply.
type Attributes []slog.Attr

// Add adds an attribute if it is set.
func (a *Attributes) Add(set bool, attribute slog.Attr) {
	if set {
		*a = append(*a, attribute)
	}
}

// Text adds a text unless it is empty.
func (a *Attributes) Text(key, value string) { a.Add(value != "", slog.String(key, value)) }

// Error adds an error unless there is none.
func (a *Attributes) Error(err error) { a.Add(err != nil, slog.Any("error", err)) }
