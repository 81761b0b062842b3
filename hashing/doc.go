// Package hashing says what the bytes of a provider package are, and judges who vouches for them.
//
// # Hashes
//
// A [Hash] is "<scheme>:<value>". Two schemes are known, those of the dependency lock file
// (https://opentofu.org/docs/language/files/dependency-lock/):
//
//   - "h1:" covers the contents of a package. Each file gives one line, the lower-case hexadecimal SHA-256 of its
//     bytes, two spaces, its slash-separated name and a line feed; the lines are sorted bytewise by name, and the
//     standard base64 of their SHA-256 is the value. It is the directory hash of Go modules
//     (https://pkg.go.dev/golang.org/x/mod/sumdb/dirhash#Hash1). Modes, times and directories do not count.
//   - "zh:" covers the bytes of the zip archive: their lower-case hexadecimal SHA-256.
//
// Schemes that are not known are kept, and never match anything.
//
// An archive may have explicit entries for directories. A hash computed over its entry list counts those, one
// computed over the unpacked tree cannot, so one package can have two h1 hashes: [Contents.Entries] and
// [Contents.Tree]. Either satisfies a claim; only the tree's is fit for a lock file, because it can be checked again
// later.
//
// # Computing
//
// [Dir], [Zip] and [Archive] read and hash. [Contents] is for those who read the bytes anyway: it turns digests of
// single files, in any order, into h1 hashes. All reading goes through buffers of 256 KiB and stops between two
// of them when the context ends.
//
// # Trust
//
// [Claims] are hashes that a source vouches for, each with an [Authority]: [Reported] or, better, [Signed]. [Judge]
// compares what was computed with the lock file and with the claims, and gives a [Proof] or the reason why not. The
// lock file always binds. A claim by nobody ([Unverified]) is what remains when a source says nothing: the caller's
// policy decides whether that is enough.
//
// Signed claims rest on a [Statement], which can travel with the package, through mirrors. Then the signature says as
// much as ever about the package: it is what the owner of the key released. Who that is says only the key's
// fingerprint. A registry vouches for the keys of its providers' authors; a key that was carried along
// ([Signer.Carried]) is nobody's in particular until somebody who knows the fingerprint says so. Judge does not care
// whose the key is: that is for the caller's policy, too.
//
// The package imports nothing beyond the standard library. OpenPGP is in hashing/signature.
package hashing
