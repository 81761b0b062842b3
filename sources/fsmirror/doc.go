// Package fsmirror is the source that reads a filesystem mirror: a directory with provider packages, as
// "terraform providers mirror" makes it, as a network mirror may serve it, or as people lay it out by hand.
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
// A mirror whose directory does not exist has no provider: that is absence, with a warning. A directory that
// cannot be read is an error.
//
// # Trust
//
// A directory vouches for nothing: its packages have no claims, and what is installed from it is believed because the
// dependency lock file knows its hashes, or because the caller chose the directory.
package fsmirror
