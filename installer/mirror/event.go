package mirror

import (
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Event is something that happened to one package or version. In order, and without the prefix of the names:
//
//	Present, Missing, Failed or Fetching, Fetched     for each package
//	then Published or Failed                          for the version, when there is anything to publish
//
// Failed can follow Fetched, when the target has another package in its place. Warning, and Failed without a version, can
// come first. Removed is of [Builder.Prune]. What happens during a download are the events of the Installer.
type Event struct {
	Kind     EventKind
	Provider sources.Provider
	Version  sources.Version  // zero while there is none
	Platform sources.Platform // zero when it is about a version
	Bytes    int64            // Fetched: size of the archive
	Proof    *hashing.Proof   // Present, Fetched
	Pushed   *sources.Pushed  // Published
	Message  string           // Warning
	Err      error            // Missing, Failed
}

// EventKind is what an [Event] says.
type EventKind string

// The kinds of events.
const (
	EventPresent   EventKind = "present"   // the package is in the mirror already
	EventMissing   EventKind = "missing"   // the source does not have the package, which is optional
	EventFetching  EventKind = "fetching"  // the archive is going to be fetched
	EventFetched   EventKind = "fetched"   // the archive is here and verified
	EventPublished EventKind = "published" // what there is of the version is in the mirror
	EventRemoved   EventKind = "removed"   // the package is not in the mirror any more
	EventWarning   EventKind = "warning"   // something that the user should know
	EventFailed    EventKind = "failed"    // the package, or all of the version, could not be published
)
