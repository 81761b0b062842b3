package installer

import (
	"context"
	"log/slog"
	"sync"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Event is something that happened to one provider. In order, for each provider, and without the prefix of the names:
//
//	Resolving, then Resolved
//	then Present                                       when the package is in Dir and proven
//	  or CacheHit, Installed                           when it is in the cache and proven
//	  or Fetching, Progress…, Unpacking, Verified, Installed
//
// Waiting can come before CacheHit and Fetching; after Retrying comes Fetching again; Healed comes before Installed
// when the package replaced a damaged one; Warning can come at any time. Failed ends the sequence at any point.
//
// For [Installer.Lock], each platform's package has a sequence of its own after Resolved: nothing where the hashes are
// published, otherwise Fetching to Verified.
//
// As log records, events have the attributes provider, version, platform, and where they apply location, bytes, size,
// path, authority, signer and error.
type Event struct {
	Kind     EventKind
	Provider sources.Provider
	Version  sources.Version  // zero before Resolved
	Platform sources.Platform // that the package is for
	Location string           // Fetching, Retrying: where the package comes from
	Bytes    int64            // Progress: of the archive, so far
	Size     int64            // Fetching, Progress: of the archive in bytes; -1: unknown
	Path     string           // Present, CacheHit, Waiting, Healed, Installed: the package's directory
	Proof    *hashing.Proof   // Present, CacheHit, Verified
	Message  string           // Warning
	Err      error            // Retrying, Failed
}

// EventKind is what an [Event] says.
type EventKind string

// The kinds of events.
const (
	EventResolving EventKind = "resolving" // a version is being selected
	EventResolved  EventKind = "resolved"  // Version is selected
	EventPresent   EventKind = "present"   // the package is installed already
	EventCacheHit  EventKind = "cache-hit" // the package is in the cache already
	EventWaiting   EventKind = "waiting"   // another installation works on the same package
	EventFetching  EventKind = "fetching"  // the archive is being downloaded
	EventProgress  EventKind = "progress"  // more of it has arrived
	EventRetrying  EventKind = "retrying"  // the download broke and begins again
	EventUnpacking EventKind = "unpacking" // the archive is complete and is being unpacked
	EventVerified  EventKind = "verified"  // hashes, signature and policy are satisfied
	EventHealed    EventKind = "healed"    // a damaged or foreign package at Path was replaced
	EventInstalled EventKind = "installed" // the package is at its final place
	EventWarning   EventKind = "warning"   // something that the user should know
	EventFailed    EventKind = "failed"    // the provider could not be installed
)

// notifier delivers events one at a time.
type notifier struct {
	mu     sync.Mutex
	notify func(Event)
	logger *slog.Logger
}

func (n *notifier) send(e Event) {
	if n.logger != nil {
		n.logger.LogAttrs(context.Background(), e.level(), "provider "+string(e.Kind), e.attributes()...)
	}
	if n.notify == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notify(e)
}

func (e Event) level() slog.Level {
	switch e.Kind {
	case EventFailed:
		return slog.LevelError
	case EventWarning, EventRetrying, EventHealed:
		return slog.LevelWarn
	case EventInstalled:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (e Event) attributes() []slog.Attr {
	attributes := []slog.Attr{slog.String("provider", e.Provider.String())}
	add := func(set bool, a slog.Attr) {
		if set {
			attributes = append(attributes, a)
		}
	}
	add(!e.Version.IsZero(), slog.String("version", e.Version.String()))
	add(true, slog.String("platform", e.Platform.String()))
	add(e.Location != "", slog.String("location", e.Location))
	add(e.Bytes != 0, slog.Int64("bytes", e.Bytes))
	add(e.Size != 0, slog.Int64("size", e.Size))
	add(e.Path != "", slog.String("path", e.Path))
	if e.Proof != nil {
		add(true, slog.String("authority", e.Proof.Authority.String()))
		add(e.Proof.Signer != nil, slog.Any("signer", e.Proof.Signer))
	}
	add(e.Message != "", slog.String("message", e.Message))
	add(e.Err != nil, slog.Any("error", e.Err))
	return attributes
}
