package sourcetest

import (
	"cmp"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// MaxArchive is the size of the largest archive that is read, in bytes.
const MaxArchive = 256 << 20

// DefaultPatience is how long a call may take to notice that its context has ended.
const DefaultPatience = 2 * time.Second

// Fixture is what a source is known to contain. It may contain more.
type Fixture struct {
	// Packages are some packages that the source has, at least one. Several of one provider, several platforms of one
	// version and several providers show more than one package does.
	Packages []Package

	// Secrets are texts that no name, location or error of the source may show, such as the token it was given.
	Secrets []string

	// Patience is how long a call may take to notice that its context has ended. Zero: [DefaultPatience].
	Patience time.Duration
}

// Package is one package that a source is known to have.
type Package struct {
	Provider sources.Provider
	Version  sources.Version
	Platform sources.Platform

	// Hashes are those of the package, which its content must have as far as they can be computed: "zh" is nothing
	// that an unpacked directory has. Nil: the content is compared with the source's claims only.
	Hashes []hashing.Hash
}

// String names the package for messages.
func (p Package) String() string {
	return p.Provider.String() + " " + p.Version.String() + " for " + p.Platform.String()
}

func (f Fixture) patience() time.Duration { return cmp.Or(f.Patience, DefaultPatience) }

// providers returns each provider once.
func (f Fixture) providers() []sources.Provider {
	var providers []sources.Provider
	seen := make(map[sources.Provider]bool)
	for _, p := range f.Packages {
		if !seen[p.Provider] {
			seen[p.Provider] = true
			providers = append(providers, p.Provider)
		}
	}
	return providers
}

// Names of what no source has.
var (
	absentVersion  = sources.MustParseVersion("0.0.1-sourcetest.absent")
	absentPlatform = sources.Platform{OS: "absentos", Arch: "absentarch"}
)

// absent returns a provider that the source does not have, on a host that it knows.
func absent(p sources.Provider) (sources.Provider, error) {
	return sources.ParseProviderIn(p.Host(), "sourcetest-absent/sourcetest-absent")
}
