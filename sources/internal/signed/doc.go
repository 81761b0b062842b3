// Package signed says what the origin's signed checksums claim about the packages of a release: the same for the
// registry client, which fetches them from the origin, and for mirrors, which carry them along.
//
// # Documents
//
// A [hashing.Statement] is what the provider registry protocol
// (https://opentofu.org/docs/internals/provider-registry-protocol/) calls "shasums", "shasums_signature" and
// "signing_keys", verbatim. [Verify] demands that one of the keys made the signature over the sums, by the rules of
// [signature.Verify]. An expired key or signature is marked in the signer, for a policy to decide about; everything
// else that is wrong with a statement is an error, and then nothing of it counts.
//
// # Names
//
// A signature is over names and sums. It says something about a provider, a version and a platform only where the name
// of the file does, "terraform-provider-TYPE_VERSION_OS_ARCH.zip": otherwise an old release, signed long ago, could be
// passed off as a new one. The version counts in any spelling that means it. What is listed under other names is
// [hashing.Reported] at best.
//
// The address's host and namespace are not part of the name, and so not signed. Whoever needs to know that the signer
// is the right one for an address pins the key.
//
// # Trust
//
// The registry says which keys are the author's: [Document.Claims]. A mirror only repeats it, and whoever runs the
// mirror can replace package, sums, signature and keys together: [Carried] marks the signer, so that nobody takes it
// for one that the registry named. For the same reason a statement that came with a package must cover it. One that
// does not is an error, never a reason to believe the mirror instead.
//
// # Limits
//
// [MaxSums], [MaxSignature], [MaxKeys] and [MaxKey] bound a statement. Whoever reads one from outside stops there;
// what is larger does not verify.
package signed
