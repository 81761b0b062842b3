package sources

import (
	"context"
	"io"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Source is a place that providers can come from: an origin registry, a mirror, a directory. Whoever implements these
// three methods has a source that the installer and [Chain] can use; package sourcetest checks that it keeps the
// rules. Implementations are safe for concurrent use. Errors name the provider and show no credentials (an [*Error]
// does); calls whose context has ended fail with its error.
type Source interface {
	// Versions lists the versions of a provider, in any order. The error matches [ErrNotFound] when the source does
	// not have the provider, and only then; the listing may have warnings even so.
	Versions(ctx context.Context, p Provider) (Listing, error)

	// Package describes the package of one version for one platform. The error matches [ErrNotFound] when the
	// source does not have it, and only then; a [*PlatformError] says which platforms it has instead. Package is
	// asked without a preceding call of Versions when the version is known, for example from a dependency lock file.
	Package(ctx context.Context, p Provider, v Version, on Platform) (*Package, error)

	// String names the source for people, in a few words and without credentials: "registry registry.example.com".
	String() string
}

// Listing is what a source knows about the versions of a provider.
type Listing struct {
	Versions []Available // each version once, in any order
	Warnings []string    // messages for the user from whoever runs the source
	Asked    []Asked     // what a [Chain] heard from each of its sources, in their order; nil outside of a chain
}

// Asked is what one source of a [Chain] contributed to a [Listing]: versions, or the reason why there are none.
type Asked struct {
	Source   string    // by its String
	Versions []Version // that it lists
	Err      error     // absence, an outage that was passed over, or what stopped the chain; nil if it answered
	Filtered bool      // it was not asked, because the rule's patterns leave the provider out
}

// Available is one version in a [Listing].
type Available struct {
	Version   Version
	Platforms []Platform // that have packages; nil: the source does not say
	Protocols []Protocol // of plugins, which the version speaks; nil: the source does not say
	From      []string   // the sources that list it, in the order of the chain; nil outside of a [Chain]
}

// Package describes one package: where its bytes are and who vouches for them. Describing fetches nothing.
type Package struct {
	Provider  Provider
	Version   Version
	Platform  Platform
	Location  string     // where the content is, for people and without credentials: a URL or a path
	Protocols []Protocol // of plugins, which the package speaks; nil: the source does not say
	Content   Content

	// Claims fetches and checks what the source says about the package's hashes, so it may take time and fail: a
	// bad signature is an error of this call. It may run beside the download. Nil: the source vouches for nothing.
	Claims func(ctx context.Context) (hashing.Claims, error)
}

// Content is what a package consists of: exactly one of the fields is set.
type Content struct {
	Archive Opener // the zip archive
	Dir     string // the absolute path of a directory that holds the unpacked package, and goes on doing so: it is linked to
}

// Opener opens an archive for reading from its beginning.
type Opener interface {
	// Open returns the bytes and their number, or -1 when that is not known. The context governs the reading as
	// well: when it ends, reads fail with its error. Open can be called again, for example after a broken
	// connection; an error that matches [ErrUnavailable], of Open or of a read, says that trying again may help.
	Open(ctx context.Context) (io.ReadCloser, int64, error)
}

// RangeOpener can be implemented by what [Opener.Open] returns, when other parts of the same bytes can be read beside it:
// then an archive's end is there early, and it can come over several connections.
type RangeOpener interface {
	// OpenRange returns length bytes from offset on, of the very bytes that are open: when it can no longer be sure of
	// that, it fails with an error that matches [ErrUnavailable]. The context governs the reading as well. It is safe
	// for concurrent use, also after the reader it belongs to was closed.
	OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error)
}

// OpenFunc is a function that is an [Opener].
type OpenFunc func(ctx context.Context) (io.ReadCloser, int64, error)

// Open calls f.
func (f OpenFunc) Open(ctx context.Context) (io.ReadCloser, int64, error) { return f(ctx) }

var _ Opener = OpenFunc(nil)
