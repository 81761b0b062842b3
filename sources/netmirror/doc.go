// Package netmirror is the source that asks a network mirror: the provider network mirror protocol.
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
package netmirror
