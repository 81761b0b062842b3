package sources

import (
	"context"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Target is a mirror to which packages are published: a directory, OCI registries, a bundle. Implementations are safe for
// concurrent use.
type Target interface {
	// Push publishes a release. What is there already is neither sent again nor changed, and packages for other platforms
	// stay, so that a release which was cut off is completed by publishing it again. Nothing becomes visible before all
	// packages have arrived and been verified; a target that cannot show them at once says so.
	//
	// The error is an [*Error], with one of these in it, or what else went wrong. A released package does not change:
	// another archive for the same platform is a [*ConflictError]. A file that is not the one that was verified is a
	// [*hashing.MismatchError]. A statement that does not verify is a *signature.Error (package hashing/signature) or a
	// [*hashing.SumsError]; one that leaves out or contradicts a package of the version is a [*StatementError]. A release
	// that [Release.Check] refuses, or that this target cannot hold, is a [*ReleaseError].
	Push(ctx context.Context, r Release) (*Pushed, error)

	// Stored returns which packages of a version are there, each with the zh hash of its archive. A version that is
	// not there has none. The error is an [*Error].
	Stored(ctx context.Context, p Provider, v Version) (map[Platform]hashing.Hash, error)

	// String names the target for people, in a few words and without credentials: "filesystem mirror /srv/mirror".
	String() string
}

// Pushed says what became of a [Release].
type Pushed struct {
	Address string // where the packages are: a directory; "registry.example.com/mirror/rocket:1.2.3"; "providers.tar:HOST/acme/rocket:1.2.3" in a bundle
	Digest  string // of the index there, "sha256:…"; "" unless the target keeps OCI artifacts: a registry or a bundle

	Added   []Platform // packages that were published, sorted
	Present []Platform // packages that were there already, sorted
	Signed  bool       // the origin's signed checksums are there, too

	Uploaded Blobs // what was sent or copied, apart from small documents
	Mounted  Blobs // what an OCI registry took from another of its repositories
	Reused   Blobs // what an OCI registry had in the repository
}

// Blobs counts what is in a registry, or goes there.
type Blobs struct {
	Count int
	Bytes int64
}
