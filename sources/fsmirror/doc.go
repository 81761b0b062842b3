// Package fsmirror is the source that reads a filesystem mirror: a directory with provider packages, as "terraform
// providers mirror" makes it, as a network mirror may serve it, or as people lay it out by hand; and the target that
// writes one.
//
// # Layout
//
// Below the mirror's directory, HOST/NAMESPACE/TYPE holds the packages of a provider in either or both of two forms
// (https://developer.hashicorp.com/terraform/cli/config/config-file#filesystem_mirror):
//
//   - packed: terraform-provider-TYPE_VERSION_OS_ARCH.zip
//   - unpacked: VERSION/OS_ARCH/, a directory with the files of the package
//
// Where both hold the same package, the unpacked one is taken. Versions may be spelled in any way that can be parsed;
// the host in its Unicode or its ASCII (punycode) form; names in any case. Symbolic links are followed at every level.
// Everything else in the directory, the JSON indexes of a network mirror among it, is passed over.
//
// Only the directories that the provider's address names are read, never the whole tree.
//
// # Absence
//
// A mirror whose directory does not exist has no provider: that is absence, with a warning. A directory that cannot be
// read is an error.
//
// # Statements
//
// A mirror can keep what the origin signed, for clients that do not want to trust the mirror. A statement about a
// version is these files beside its packed packages, verbatim, each in one piece:
//
//	terraform-provider-TYPE_VERSION_ID_SHA256SUMS             the origin's checksums
//	terraform-provider-TYPE_VERSION_ID_SHA256SUMS.sig         its detached OpenPGP signature over them
//	terraform-provider-TYPE_VERSION_ID_SHA256SUMS.key1.asc    the public keys that its registry offers, ASCII-armored,
//	terraform-provider-TYPE_VERSION_ID_SHA256SUMS.key2.asc    in their order, without a gap
//
// ID keeps statements apart: a file of one name never changes, whatever caches it. It may be anything without an
// underscore. Here it is the first 16 hexadecimal digits of the SHA-256 of the SHA-256 sums of all files, in this
// order. For terraform and tofu none of these are packages, since the names do not end in ".zip"; gpg and sha256sum
// can verify with them. The origin's own files, whose names have no ID, are no statement, since the keys are not with
// them.
//
// In the network mirror protocol, VERSION.json refers to them, by URLs that are relative to the document or absolute,
// in a member that terraform and tofu pass over:
//
//	"origin_statement": {
//	  "shasums_url": "terraform-provider-TYPE_VERSION_ID_SHA256SUMS",
//	  "shasums_signature_url": "terraform-provider-TYPE_VERSION_ID_SHA256SUMS.sig",
//	  "signing_keys_urls": ["terraform-provider-TYPE_VERSION_ID_SHA256SUMS.key1.asc"]
//	}
//
// All three are required. A file server needs to know nothing of it: media types do not matter. "terraform providers
// mirror" in the same directory leaves the files alone and writes VERSION.json without the member: then this package
// still finds the statement, and package netmirror does not, until a [Target] publishes something of the version
// again.
//
// This package goes by the names alone. Of several statements about a version, one that holds is enough.
//
// # Trust
//
// A directory vouches for nothing. What is installed from it is believed because the dependency lock file knows its
// hashes, or because the caller chose the directory; or because of a statement, if there is one: then the claims of a
// packed package are [hashing.Signed], by a key that is marked as one that came along ([hashing.Signer.Carried]). It
// means something to those who pin the key. A statement that cannot be read, does not verify, or does not list the
// package is an error: what was signed is never taken without its signature. Unpacked packages have no claims: what is
// signed is an archive's hash, which cannot be compared with a directory.
//
// # Publishing
//
// A [Target] writes packed packages, with index.json and VERSION.json as "terraform providers mirror" does, byte for
// byte but for two things: hashes are there in both forms, h1 and zh, and the statement is referred to. So the
// directory is a filesystem mirror, and a network mirror when a file server offers it. The same releases with
// the same statements always give the same bytes, in whatever order and by whomever they are published.
//
// Each file is replaced at once. A package comes after the statement about it, VERSION.json after the packages that it
// lists, and index.json last; they leave in the opposite order. Whoever reads while a release is being published finds
// the mirror as it was or a part of the release, and nothing without what vouches for it; the JSON indexes list all of
// a release or nothing. What a killed process leaves behind is cleared away by the next one, and packages that have
// arrived are not copied again.
//
// What is there stays: other versions and platforms, packages that no index lists, and all members of the indexes that
// nobody here knows. A package that is another one is a [*sources.ConflictError]; [Target.Remove] removes it. A file that is
// not what its index says is damaged, and is replaced. All packages of a version that has a statement must be covered
// by it; of two statements that are, the latest counts, and the one before it stays for those who have read an older
// VERSION.json.
//
// Hosts are directories in the ASCII form, in which network mirrors are asked for them. Neither terraform nor tofu
// finds an international host's directory of that name in a filesystem mirror; both sources of this library do. A
// directory of the Unicode form, which "terraform providers mirror" makes, is not changed.
//
// Whoever writes locks the file ".purveyor.lock" in the provider's directory: it is empty and stays. terraform and
// tofu take no lock.
//
// # Limits
//
// [MaxStatements], each of [hashing.MaxSumsBytes] (1 MiB) of checksums, signature.MaxSignatureBytes (64 KiB) of signature and
// signature.MaxKeys (32) keys of signature.MaxKeyBytes (256 KiB), which are constants of package hashing/signature; and, of the
// indexes that a [Target] changes, netmirror.MaxIndexDocument (16 MiB) and netmirror.MaxVersionDocument (4 MiB).
package fsmirror
