package mirror

import (
	"context"
	"log/slog"
	"sync"

	"github.com/purveyor-dev/purveyor/installer"
)

// notifier delivers the events of one call, one at a time.
type notifier struct {
	ctx    context.Context // of the call; handlers of logs find traces in it
	notify func(Event)
	logger *slog.Logger
	mu     sync.Mutex
}

func (n *notifier) send(e Event) {
	if n.logger != nil {
		n.logger.LogAttrs(n.ctx, e.level(), "mirror "+string(e.Kind), e.attributes()...)
	}
	if n.notify == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notify(e)
}

// share returns a function that tells somebody else the same as theirs, and never while an event is delivered here.
func (n *notifier) share(theirs func(installer.Event)) func(installer.Event) {
	if theirs == nil {
		return nil // the installer does less for nobody
	}
	return func(e installer.Event) {
		n.mu.Lock()
		defer n.mu.Unlock()
		theirs(e)
	}
}

func (e Event) level() slog.Level {
	switch e.Kind {
	case EventFailed:
		return slog.LevelError
	case EventWarning:
		return slog.LevelWarn
	case EventPublished, EventRemoved:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// attributes returns those that the comment of Event lists.
func (e Event) attributes() []slog.Attr {
	var attributes []slog.Attr
	add := func(set bool, a slog.Attr) {
		if set {
			attributes = append(attributes, a)
		}
	}
	text := func(key, value string) { add(value != "", slog.String(key, value)) }
	text("provider", e.Provider.String())
	add(!e.Version.IsZero(), slog.String("version", e.Version.String()))
	add(!e.Platform.IsZero(), slog.String("platform", e.Platform.String()))
	add(e.Bytes > 0, slog.Int64("bytes", e.Bytes))
	if e.Pushed != nil {
		text("address", e.Pushed.Address)
		text("digest", e.Pushed.Digest)
	}
	if e.Proof != nil {
		text("authority", e.Proof.Authority.String())
		if signer := e.Proof.Signer; signer != nil {
			text("signer", signer.Fingerprint)
			add(signer.Carried, slog.Bool("carried", true))
		}
	}
	text("message", e.Message)
	add(e.Err != nil, slog.Any("error", e.Err))
	return attributes
}
