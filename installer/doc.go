// Package installer turns provider requirements into verified package directories.
//
// An [Installer] joins a [sources.Source] with the directories that packages are installed to. [Installer.Resolve]
// selects versions, [Installer.Install] also brings the packages, [Installer.Lock] records hashes for several
// platforms, [Installer.Get] is the short way for a single provider, and [Installer.Fetch] brings a verified archive
// and installs nothing. Install has no barrier between providers: for each on its own the data flows one way: resolve,
// look in the directories, fetch, verify, unpack, publish, link, lock. [Event] says what can be watched of it.
//
// # Selecting
//
// A locked version that meets the constraints is kept; without one, or with [Request.Upgrade], the newest version
// that meets them is selected. The rules are those of "terraform init".
//
// # Directories
//
// The layout is the one that terraform and tofu use for .terraform/providers and for plugin caches
// ([sources.PackagePath]), so a cache can be shared with them. Writers take the lock file beside the package's
// directory, <os>_<arch>.lock, as tofu does; terraform takes none, and can fail while somebody else writes. A package is downloaded and unpacked in
// a private staging directory beside its final place and appears there by one rename, after verification. Whatever a
// killed process leaves is cleared by the next installation of the same package.
//
// A package already in a directory is used if a hash of the dependency lock file proves it, or without a lock, the
// record of having verified it with a signature ([Installer.RecordDir]). Without either it is fetched and compared. A
// damaged one is replaced, in the cache and in Dir, and an event says so ([EventHealed]). Links in Dir that
// lead nowhere, as those to a cache that has moved, or that [Installer.Link] would not make are replaced without one.
//
// A [Cache] lists, verifies and prunes the packages in a plugin cache, also while they are being used.
//
// # Downloads
//
// An archive is unpacked while it arrives, and both of its hashes are computed on the way: nothing is read twice, and
// installing takes about as long as the slower of downloading and inflating. Where the source offers ranges
// ([sources.RangeOpener]), the end of an archive larger than [Installer.SegmentSize], with the list of its files, is
// fetched first; without that list, unpacking waits for the last byte. More connections are taken for what takes long,
// see [Installer.ConnectionsPerArchive]. What is unpacked is private until it is verified.
//
// # Requests
//
// Installing one provider takes so many requests:
//
//	situation                                     registry  network mirror  OCI mirror  directory
//	not locked                                           6               3           6          0
//	locked                                               5               2           5          0
//	locked, and in Dir or CacheDir                       0               0           0          0
//	not locked, in CacheDir and RecordDir                2               3           6          0
//	each further provider of the same host, not locked   5               3           6          0
//	the archive is larger than SegmentSize              +1              +1          +1          0
//	locking for n platforms, hashes published          4+n             1+n        1+4n          0
//
// The fourth line is about signed packages of registries: what a mirror has is fetched again and compared, unless it is
// signed by a key that [Policy.Signers] names, which saves all but the first request. What an OCI mirror has of the
// origin's signature takes up to four requests more. More connections mean a request for each segment, redirects one for each
// time that an archive is opened, and an OCI registry that asks for authentication two for each repository. A large
// archive that has to wait for its turn is opened twice, see [Installer.Downloads]. Documents that a source was asked for
// before are sent again only if they have changed, where the server says how to tell.
//
// However many providers are required, one call has at most [Installer.Queries] questions and [Installer.Connections]
// connections for archives on the way at a time. The sources of this module use at most 32 connections to one host for
// each of both, and use them again.
//
// # Trust
//
// Hashes of the lock file always bind. They do not say which platform they are for, so a package of the same version
// for another platform satisfies them, too, as it does with the clients. What a source claims about its package must
// be true: signed claims first, see [hashing.Judge]. [Policy] can ask for more. The result has a [hashing.Proof] for
// each package.
//
// # Errors
//
// A call that cannot begin fails with a [*sources.FieldError] or a [*ReadonlyError], before anybody is asked, and has
// neither result nor events. Otherwise the error is an [*Error], with a [*ProviderError] for each provider that failed
// (for each package, in Lock and Fetch), and the result has the others. A failure is caused by
//
//   - the selection: [*NoMatchError], [*LockedError], [*UnusableError];
//   - the source: [*sources.Error], and for downloads that break what matches [sources.ErrUnavailable] and the other kinds
//     that package sources has;
//   - the verification: [*hashing.MismatchError], [*hashing.UnverifiableError], [*PolicyError], and for a source's own
//     documents the errors of packages sources, hashing and hashing/signature;
//   - the package: [*ArchiveError], [*ExecutableError];
//   - the context or the file system.
//
// # Limits
//
// The size of archives, and the number and size of files in them, are bounded by [Limits].
package installer
