package mirror

import (
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Event is something that happens while a mirror is built or pruned. It is about a want, about a version of a provider, or
// about a package of a version: then it has a Platform. Names stand here without their prefix.
//
// The wants come first, side by side. For each of them there are
//
//	Warning…   what the source has to say about the provider: again for each want of the same provider
//	Failed     if it cannot be resolved: with a Version only if it names one
//
// Then [Builder.Build] works on the versions, side by side. What happens to one of them comes in this order, a line being over
// for all packages before the next one begins:
//
//	Present | Fetching, Fetched   for each package, side by side; nothing or only Fetching for one that is not to be had
//	Missing | Failed              for each package that is neither Present nor Fetched, in the order of platforms
//	Failed                        for each package that the target refuses by a ConflictError or StatementError of its own
//	Published | Failed            without a Platform, once: for all packages that are left, if there are any
//
// If the target cannot say what it has of a version, Failed without a Platform is all that happens to it. Nothing happens to
// versions that are not begun when the context ends. [Builder.Prune] takes the surplus one version after the other:
//
//	Removed…   for each package of a version that is surplus
//	Failed     instead, without a Platform, if the target does not remove them
//
// [Builder.Surplus] has no events but those of the wants. Failed is sent once for each [PackageError], and for what the end of
// the context has cut off and the error does not list. A call that is refused as a whole has no events, and nothing is sent
// after it has returned.
//
// Between Fetching and what follows it the Installer tells of the download, as [installer.Installer.Fetch] does. There is
// none when the archive of a build that was killed can be used.
//
// Of the fields, Kind and Provider are always set, Version but for Warning and wants that name none, and the others only for
// the kinds that stand beside them.
//
// # Log
//
// As log records, which go to the Installer's Logger, all events have the message "mirror " followed by their Kind. Published
// and Removed have the level INFO, Warning WARN, Failed ERROR, and all others DEBUG. The attributes, where they apply, are
//
//	provider   complete source address
//	version    of the provider
//	platform   such as "linux_amd64"
//	bytes      Bytes, if any were downloaded
//	address    of what was pushed: [sources.Pushed.Address]
//	digest     of what was pushed: [sources.Pushed.Digest]
//	authority  of the Proof: "signed", "reported" or "unverified"
//	signer     of the Proof: the fingerprint of the key
//	carried    true, if the signer's key came through a mirror, see [hashing.Signer]
//	message    Message
//	error      Err
//
// The handler gets the context of the call.
type Event struct {
	Kind     EventKind
	Provider sources.Provider
	Version  sources.Version
	Platform sources.Platform // Present, Fetching, Fetched, Missing, Removed, Failed: of the package; zero for Failed of a version or want
	Bytes    int64            // Fetched: that were downloaded; zero when a build that was killed had left the archive
	Proof    *hashing.Proof   // Present, Fetched; shared, do not change it
	Pushed   *sources.Pushed  // Published; shared, do not change it
	Message  string           // Warning
	Err      error            // Missing, Failed
}

// EventKind is what an [Event] says. Later versions may add kinds; pass over those that you do not know.
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
	EventFailed    EventKind = "failed"    // the package, or all of the version, could not be published or removed; or the want is not known
)
