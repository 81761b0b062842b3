package sources

import (
	"context"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Target is a mirror to which packages are published: a directory, or OCI registries. Implementations are safe for
// concurrent use.
type Target interface {
	// Push publishes a release. What is there already is neither sent again nor changed, and packages for other platforms
	// stay, so that a release which was cut off is completed by publishing it again. Either all packages become visible,
	// or none. A released package does not change: another archive for the same platform is a [*ConflictError]. A
	// statement that does not verify, or leaves a package out, is a [*StatementError]. A file that is not the one that was
	// verified is a [*hashing.MismatchError]. The error is an [*Error].
	Push(ctx context.Context, r Release) (*Pushed, error)

	// Stored returns which packages of a version are there, each with the zh hash of its archive. A version that is
	// not there has none. The error is an [*Error].
	Stored(ctx context.Context, p Provider, v Version) (map[Platform]hashing.Hash, error)

	// String describes the target for people, without secrets.
	String() string
}

// Pushed says what became of a [Release].
type Pushed struct {
	Address string // where the packages are: a directory, or "registry.example.com/mirror/rocket:1.2.3"
	Digest  string // of the index there, "sha256:…"; "" unless the target is an OCI registry

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
