package installer

import (
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Event is something that happens to one provider. What a call tells are sequences of events; those of different
// providers, and of different packages, are told in any order.
//
// Selecting a version is a sequence without a Platform. Lock has selected all versions before it turns to packages.
//
//	Resolving, Resolved
//
// Each package, that is a provider's for one Platform, has a sequence of its own, which begins after the selection:
//
//	Install  Present                                              it is in Dir, and proven
//	         CacheHit, Installed                                  it is in CacheDir, and proven
//	         Fetching, Progress…, Unpacking, Verified, Installed  it is not
//	         Verified, Installed                                  the source has it unpacked
//	Lock     Locked                                               its hashes are published
//	         Fetching, Progress…, Unpacking, Verified, Locked     they are not
//	         Verified, Locked                                     the source has it unpacked
//	Fetch    Fetching, Progress…, Unpacking, Verified, Fetched
//
// What else can happen stands in between:
//
//   - Warning comes after Resolving, for what the source has to say, and before the Verified of an unpacked directory
//     that only [Policy.AllowUnverifiableInsecure] lets pass.
//   - Waiting comes first in a package's sequence, when the place is locked where the package is stored: in CacheDir, or
//     without one in Dir. It comes right before Installed, or Healed, for the place in Dir.
//   - Retrying with a Location comes after Progress, at most twice in a row, and before another Fetching. Retrying with
//     a Path comes at any time in Install when a package is pruned from the cache while it is being used, at most three
//     times: after it everything can come that can begin the sequence.
//   - Healed comes after Verified, for the place where the package is stored, and before Installed, for the one in Dir.
//   - Failed can end a sequence at any point, also as its only event. It is sent once for each [ProviderError].
//
// The last event of a sequence is Resolved, Present, Installed, Locked, Fetched or Failed ([EventKind.Last]), also when
// the context ends. Nothing is sent after the call has returned. A call that is refused as a whole, with a
// [*sources.FieldError] or a [*ReadonlyError], has no events. What the HTTP client of a source repeats or resumes is
// none, nor are built-in providers that need nothing.
//
// Of the fields, Kind and Provider are always set, Version from Resolved on, and Platform in a package's sequence; the
// others only for the kinds that stand beside them.
//
// # Log
//
// As log records, all events have the message "provider " followed by their Kind. Installed, Locked and Fetched have the
// level INFO, Warning, Retrying and Healed WARN, Failed ERROR, and all others DEBUG. The attributes, where they apply, are
//
//	provider   complete source address
//	version    of the provider
//	platform   such as "linux_amd64"
//	location   Location
//	bytes      Bytes
//	size       Size, if it is known
//	path       Path
//	authority  of the Proof: "signed", "reported" or "unverified"
//	signer     of the Proof: the fingerprint of the key
//	carried    true, if the signer's key came through a mirror, see hashing.Signer
//	message    Message
//	error      Err
//
// The handler gets the context of the call.
type Event struct {
	Kind     EventKind
	Provider sources.Provider
	Version  sources.Version  // zero before Resolved
	Platform sources.Platform // that the package is for; zero while a version is selected
	Location string           // Fetching, Retrying a download: where the package comes from
	Bytes    int64            // Progress: of the archive, so far
	Size     int64            // Fetching, Progress, Fetched: of the archive in bytes; -1: unknown
	Path     string           // Present, CacheHit, Waiting, Retrying a package, Healed, Installed: the package's directory; Fetched: the archive
	Proof    *hashing.Proof   // Present, CacheHit, Verified, Locked, Fetched; shared, do not change it
	Message  string           // Warning
	Err      error            // Retrying, Failed
}

// EventKind is what an [Event] says. Later versions may add kinds; pass over those that you do not know.
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
	EventRetrying  EventKind = "retrying"  // the download broke, or the package has gone from the cache: it begins again
	EventUnpacking EventKind = "unpacking" // the archive is complete, and what is not unpacked yet is being unpacked
	EventVerified  EventKind = "verified"  // hashes, signature and policy are satisfied
	EventHealed    EventKind = "healed"    // a damaged or foreign package at Path was replaced
	EventInstalled EventKind = "installed" // the package is at its final place
	EventLocked    EventKind = "locked"    // the package's hashes are known: Proof.Hashes
	EventFetched   EventKind = "fetched"   // the archive is at Path
	EventWarning   EventKind = "warning"   // something that the user should know
	EventFailed    EventKind = "failed"    // the provider could not be resolved, installed, locked or fetched
)

// Last reports whether an event of this kind is the last of its sequence.
func (k EventKind) Last() bool {
	switch k {
	case EventResolved, EventPresent, EventInstalled, EventLocked, EventFetched, EventFailed:
		return true
	}
	return false
}
