// Package sources is the vocabulary of provider installation: provider source addresses, versions and constraints,
// platforms, include/exclude patterns, the [Source] interface and the ways in which sources combine ([Chain], [Memo]),
// and the [Target] interface. It contains no network code; the packages below it ([sources/direct], …) speak the
// protocols.
//
// # What a source does
//
// A [Source] answers two questions about a [Provider] and does nothing else: which versions there are, and what the
// package of one version for one [Platform] is. The answer to the second is a description: nothing is fetched before
// the package's content is opened, and a source verifies nothing. It reports what it and its signers claim about the
// package ([hashing.Claims]); the installer fetches, judges, unpacks and publishes, in one place for every source.
//
// # What a target does
//
// A [Target] is a mirror that can be written: a directory, OCI registries, a bundle. What is published there is a
// [Release]: archives of one version that somebody has verified, and the origin's signed checksums by which that was
// done, so that whoever installs from the mirror can verify them again. A target compares what it gets with the hashes
// that the release states, and never replaces one released package by another. Package installer/mirror fills targets
// from sources.
//
// # Absence and failure
//
// A source that does not have what it is asked for says so with an error that matches [ErrNotFound], and only then.
// Everything else that goes wrong (a refusal, an outage, a malformed document) is another error. The difference
// carries weight: in a [Chain] absence moves on to the next source, failure stops. Whatever the failure, an [*Error]
// around it says what was asked of whom.
//
// # Compatibility
//
// Addresses, constraints and patterns mean what they mean to terraform and tofu. The default registry for addresses
// that name none is [DefaultRegistry]; the functions with "In" in their names take another.
//
// [sources/direct]: https://pkg.go.dev/github.com/purveyor-dev/purveyor/sources/direct
package sources
