// Package signature verifies the OpenPGP signature over a provider's SHA256SUMS document.
//
// # Format
//
// The provider registry protocol (https://opentofu.org/docs/internals/provider-registry-protocol/) offers three things:
// a document ("shasums_url"), a detached signature in binary form over exactly its bytes ("shasums_signature_url"), and
// the ASCII-armored public keys of its author ("signing_keys"). OpenPGP is https://www.rfc-editor.org/rfc/rfc9580.
//
// # Trust
//
// Verify answers one question: did one of these keys sign these bytes? Whether the keys deserve trust is for the caller
// to decide; [hashing.Signer] has the primary key's fingerprint for that.
//
//   - Keys are tried in order. A key that did not make the signature is passed over without verifying anything of it.
//   - Signatures by signing subkeys count; the subkey must be bound to its primary key in both directions.
//   - Revocation by the key's owner, of the key, the subkey or the primary user ID, always counts, whenever the
//     signature was made.
//   - An expired key or signature gives the signer and [ErrExpired], so that the caller can choose. A registry goes on
//     serving what was signed years ago, and existing clients accept it with a warning.
//   - Too weak are: SHA-1 and older digests of the document; DSA, ElGamal, the curve secp256k1 and RSA keys of less than
//     2047 bits, for the primary key and for the one that signed. Self-signatures of keys may still use SHA-1.
//
// # Limits
//
// [MaxSignatureBytes], [MaxKeys], [MaxKeyBytes], [MaxKeyBits] and [MaxSelfSignatures] bound the work that a hostile
// registry can cause to seconds.
package signature
