package installer

import (
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Resolution is the versions that were selected.
type Resolution struct {
	Selections []Selection // in the order of addresses
}

// Result is what was installed.
type Result struct {
	Packages []Package // in the order of addresses
	// Locks is what the dependency lock file should contain now: the entries of the installed providers, and if some
	// failed, all other entries as they were. With Request.Readonly it equals Request.Locks.
	Locks Locks
	// Unrecorded are the providers that have hashes which Request.Readonly kept from being recorded.
	Unrecorded []sources.Provider
}

// Package is an installed package.
type Package struct {
	Selection  // which version, and why
	Platform   sources.Platform
	Dir        string         // absolute path of the package's directory below Installer.Dir
	Executable string         // absolute path of the provider's executable in Dir
	Stored     string         // absolute path of the directory that Dir is linked to or copied from; empty: none
	Location   string         // where it was fetched from; empty if it was not
	Downloaded int64          // bytes; 0 if nothing was
	Proof      *hashing.Proof // what its verification rests on
	Duration   time.Duration  // from Resolving to Installed or Present
}

// Selection is the version selected for a provider, and why.
type Selection struct {
	Provider    sources.Provider
	Version     sources.Version
	Constraints sources.Constraints // that it meets
	Locked      bool                // it is the locked version; the fields below are then empty
	From        []string            // the sources that list it; empty: only one source was asked
	Newest      sources.Version     // newest version there is, pre-releases included
	Listed      int                 // versions there are
	Matching    int                 // versions that meet the constraints
	Asked       []sources.Asked     // what each source of a chain had, and why one has nothing; nil if the source is no chain

	listing []sources.Available
}
