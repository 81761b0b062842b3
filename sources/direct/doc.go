// Package direct is the source that asks a provider's own registry: remote service discovery on the host of the
// provider's address, then the provider registry protocol.
//
// # Protocols
//
//   - Remote service discovery: https://developer.hashicorp.com/terraform/internals/remote-service-discovery.
//     The document is asked for once per host however many callers want it; redirects are followed; service URLs may
//     be relative to the document's final URL. A failed discovery is not remembered.
//   - Provider registry protocol: https://developer.hashicorp.com/terraform/internals/provider-registry-protocol.
//     The packages member with which OpenTofu's registry gives hashes for every platform is understood.
//
// A version that cannot be parsed is skipped with a warning; two spellings of one version count once, and packages are
// asked for in the spelling that the registry listed.
//
// # Trust
//
// The SHA256SUMS document must name the package's file with the checksum that the package document states. When the
// registry offers signing keys, one of them must have signed the document: the claims are then [hashing.Signed], and
// say so if the key or the signature has expired. They come with the [hashing.Statement] that they rest on, for mirrors
// to carry. Without keys the claims are [hashing.Reported], which is accepted from OpenTofu's registry and those of
// [Config.UnsignedInsecure] only; elsewhere it is [signature.ErrUnsigned].
//
// A signature is over names and sums. It vouches for a package only if the file is named as usual, for this very
// provider type, version (in any spelling of it) and platform ([sources.ArchiveName]); under another name the claim is
// Reported, for an old release must not pass for a new one. What the packages member says is used where its zh: hashes
// are those of the platform's file in the sums document, and counts as Reported.
//
// # Credentials
//
// A token is sent to the origin (https, host, port) that it is configured for: to the discovery document, and to the
// registry's API if that is on a host with credentials of its own. A registry whose location [Config.Services] states
// gets the token of the provider's host as well: whoever wrote that table vouches for the location. Checksums,
// signatures and archives are fetched without credentials, and no redirect takes them along.
//
// # Limits
//
// Every document has a limit, see the constants; archives are bounded by whoever reads them.
package direct
