// Package netmirror speaks the provider network mirror protocol: a [Source] asks a network mirror, and a [Handler] is one.
//
// # Protocol
//
// https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol. The base URL is resolved
// against as any reference is: without a trailing slash it loses its last segment, and a query is dropped. Below
// it, HOST/NAMESPACE/TYPE/index.json lists versions and VERSION.json the archives of one. The host has its ASCII
// form, with its port; where that is not found, the Unicode form is asked for, since "terraform providers mirror"
// makes directories of that name. A version that cannot be parsed is skipped with a warning, and packages are asked for
// in the spelling that the mirror listed.
//
// 404 for either document is absence, also when the index lists the version.
//
// # Trust
//
// The hashes of a package's own platform are claims that the mirror reports: one of them must match. With
// [Config.TrustAllHashes], those of the other platforms may go into a lock file; they never make this package
// acceptable. Without hashes the mirror vouches for nothing, and what is installed rests on the lock file or on the
// connection.
//
// A mirror can keep what the origin signed. Then VERSION.json says where the checksums, the signature and the keys are, in
// a member that package fsmirror specifies and that terraform and tofu pass over. The claims are [hashing.Signed], by a key
// that is marked as one that came along ([hashing.Signer.Carried]), for this platform and for the others that are signed;
// what the mirror reports comes on top of it and must not contradict it. The statement is fetched when the claims are
// asked for, and once for the packages of a version. One that cannot be had, does not verify, or does not list the
// package is an error: what was signed never becomes what is merely reported. A mirror whose documents say nothing of a
// statement is asked for none, even if it has the files: "terraform providers mirror" writes documents anew, and leaves
// the member out.
//
// # Credentials
//
// The token for the mirror's host and port goes with requests for the two documents, and for the parts of a statement,
// while they stay on the mirror's origin. Archives are fetched without credentials, unless [Config.UseMirrorCredentials]
// is set and the archive is on the mirror's own origin. No redirect takes a token along.
//
// # Serving
//
// A [Handler] serves what any [sources.Source] has, and keeps it. Its store is a filesystem mirror in the form of package
// fsmirror, written by a target of that package: other programs can use it as one. Beside it, in the directory
// ".purveyor-mirror", is what the source has answered. Any number of processes can share a store.
//
// index.json lists what the source lists and what the store has. VERSION.json has, for each platform, the store's hashes (h1
// and zh) and else those that the source vouches for; and it refers to the origin's statement, if there is one, also before
// any archive is in the store. What a source offers without a hash is listed without one until it is in the store.
// Versions and packages are those that the source lists; nothing else is fetched, whatever URL somebody makes up. What the
// source withdraws stays as long as it is in the store: fsmirror.Target.Remove removes it.
//
// An archive that the store does not have is fetched once, however many ask for it in however many processes, and goes on
// being fetched when they leave. It must have a hash that was listed. It is sent when it has been verified and stored, not before:
// until then clients wait, for the time of the download, without a byte; a server or proxy in between must be patient for
// as long. A fetch that fails is not tried again for ten seconds, unless the queue is full. An archive in the store is read
// and compared with the store's documents when a process first sends it, and after that only if the file looks different;
// if it is damaged, it is fetched again.
//
// # Freshness
//
// Documents stand for [HandlerConfig.IndexTTL] and VersionTTL, absence for NegativeTTL. When the source fails, or takes more than
// three seconds, the last answer is served, which the headers Warning and Age then tell; for how long, StaleFor says. It
// survives a restart. A source that fails is asked again after ten seconds. When the source fails, an earlier answer of
// absence is not served in its place. An answer of more than 8 MiB is a failure of the source.
//
// # Minimum age
//
// The protocols carry no dates of release. So the store records when it saw a version first: [HandlerConfig.MinAge]
// counts from then. It says nothing about versions that were there when a provider was first found: they count as old,
// as do those in the store that no list has ever had. Until a version is old enough, it is neither listed nor served, nor is
// what is signed about it.
//
// # Answers
//
// GET and HEAD, conditional and range requests. Archives have their SHA-256 as a strong ETag and may be kept for ever; documents
// are asked for again, with theirs. 404 is absence, 401 and 403 are those of [HandlerConfig.Authorize], 403 also providers that
// are not allowed, 405 is for other methods. 500 says that an archive in the store is damaged and cannot be fetched again, because
// the source fails, lists it no more, or is none; 502, 503 and 504, that the source or the store fails, or that too much is
// going on; they all have Retry-After. No answer repeats what the source said: that is for [HandlerConfig.Logger]. TLS is
// the server's business; without it, behind a proxy, the system's kernel sends archives by itself.
package netmirror
