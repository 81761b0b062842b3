// Package lockfile reads and writes the dependency lock file of terraform and tofu, ".terraform.lock.hcl".
//
// # Format
//
// HCL native syntax (https://opentofu.org/docs/language/files/dependency-lock/), one block for each provider:
//
//	provider "registry.opentofu.org/hashicorp/random" {
//	  version     = "3.6.0"
//	  constraints = "~> 3.6"
//	  hashes = [
//	    "h1:…",
//	    "zh:…",
//	  ]
//	}
//
// The label is a complete source address in normal form. The version is required and in canonical form. The
// constraints are those that led to the version, in canonical form. The hashes are "<scheme>:<value>"; the list
// may be absent but not empty. All values are literal strings. A block "module" is reserved and gives a
// warning; every other block or argument is an error.
//
// # Trust
//
// The lock file binds what may be installed, so reading fails closed: a file with any error yields no locks at all.
// Hashes are kept as they stand, also those of unknown schemes and those whose value is malformed: they match
// nothing, and a rewritten file must not hold less than it held before.
//
// # Compatibility
//
// [Format] gives byte for byte what the clients write, except for the name in the header. As with them, comments and the
// order of a file are not kept. Two things are laxer than in the clients, and neither is ever written: the conditions of
// constraints may stand in any order, because the clients put prereleases into an order other than that of
// Semantic Versioning; and hashes are sorted, each once, when they are read.
//
// Nothing is read beyond [MaxBytes], and nothing nested deeper than such a file can be.
package lockfile
