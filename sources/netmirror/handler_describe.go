package netmirror

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

const (
	maxPlatforms  = 128    // of one version
	maxRemembered = 20_000 // versions of a provider, those that the source no longer lists among them
	sideBySide    = 4      // packages of one version that the source is asked about at a time
)

// catalogue is what the source says about the versions of a provider. Nil: it has never listed any.
type catalogue map[sources.Version]edition

// edition is a version in a catalogue.
type edition struct {
	Listed    bool               `json:"listed"`
	Seen      time.Time          `json:"seen,omitzero"`       // when it was new; zero: it was there when the provider was first found
	Platforms []sources.Platform `json:"platforms,omitempty"` // nil: the source does not say with the list
}

// renew returns the catalogue after another answer. What is no longer listed is remembered, so that it does not become new
// by coming back. The first answer has nothing new in it, unless older ones were lost.
func (c catalogue) renew(listing sources.Listing, lost bool) catalogue {
	now := time.Now()
	renewed := make(catalogue, max(len(c), len(listing.Versions)))
	for v, e := range c {
		if len(c) <= maxRemembered {
			renewed[v] = edition{Seen: e.Seen}
		}
	}
	for _, a := range listing.Versions {
		e, known := c[a.Version]
		if !known && (c != nil || lost) {
			e.Seen = now
		}
		renewed[a.Version] = edition{Listed: true, Seen: e.Seen, Platforms: a.Platforms}
	}
	return renewed
}

// description is what the source says about the packages of a version.
type description struct {
	Archives  map[sources.Platform][]hashing.Hash `json:"archives"` // without hashes: nobody vouches for it yet
	Statement *hashing.Statement                  `json:"statement,omitempty"`
}

// describe asks a source about the packages of a version: about one of them, and about the others only as far as what is said
// of the first leaves something open. So a signed list of checksums costs one question, for however many platforms.
func describe(ctx context.Context, s sources.Source, p sources.Provider, v sources.Version, platforms []sources.Platform) (description, error) {
	d := description{Archives: make(map[sources.Platform][]hashing.Hash)}
	if platforms == nil {
		var err error
		if platforms, err = askPlatforms(ctx, s, p, v); err != nil {
			return d, err
		}
	}
	platforms = slices.SortedFunc(slices.Values(platforms), sources.Platform.Compare)
	platforms = platforms[:min(len(platforms), maxPlatforms)]
	for len(platforms) > 0 {
		n := 1
		if len(d.Archives) > 0 {
			n = len(platforms)
		}
		all, err := askClaims(ctx, s, p, v, platforms[:n])
		if err != nil {
			return d, err
		}
		for i, said := range all {
			d.add(platforms[i], said, platforms)
		}
		platforms = slices.DeleteFunc(platforms[n:], func(on sources.Platform) bool { return len(d.Archives[on]) > 0 })
	}
	if len(d.Archives) == 0 {
		return d, sources.ErrNotFound
	}
	return d, nil
}

// noPlatform is one that nobody builds for: a source that is asked for it says which ones it has.
var noPlatform = sources.Platform{OS: "none", Arch: "none"}

func askPlatforms(ctx context.Context, s sources.Source, p sources.Provider, v sources.Version) ([]sources.Platform, error) {
	_, err := s.Package(ctx, p, v, noPlatform)
	var platform *sources.PlatformError
	if errors.As(err, &platform) {
		return platform.Available, nil
	}
	return nil, err
}

// said is what a source says about one package; zero if it has no archive of it.
type said struct {
	exists bool
	claims hashing.Claims
}

func askClaims(ctx context.Context, s sources.Source, p sources.Provider, v sources.Version, platforms []sources.Platform) ([]said, error) {
	all := make([]said, len(platforms))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i, on := range platforms {
		group.Go(func() (err error) {
			all[i], err = guarded(ctx, func(ctx context.Context) (said, error) { return askClaim(ctx, s, p, v, on) })
			return err
		})
	}
	return all, group.Wait()
}

func askClaim(ctx context.Context, s sources.Source, p sources.Provider, v sources.Version, on sources.Platform) (said, error) {
	pkg, err := s.Package(ctx, p, v, on)
	switch {
	case errors.Is(err, sources.ErrNotFound):
		return said{}, nil
	case err != nil:
		return said{}, err
	case pkg == nil || pkg.Content.Archive == nil:
		return said{}, nil
	case pkg.Claims == nil:
		return said{exists: true}, nil
	}
	claims, err := pkg.Claims(ctx)
	return said{true, claims}, err
}

// add records what was said about the package for one platform, and with it about others of the version that are wanted.
func (d *description) add(on sources.Platform, s said, wanted []sources.Platform) {
	if !s.exists {
		return
	}
	if d.Archives[on] == nil {
		d.Archives[on] = []hashing.Hash{}
	}
	d.addHashes(on, s.claims.Package)
	for _, other := range wanted {
		if other != on {
			d.addHashes(other, about(s.claims.Others, other))
		}
	}
	if d.Statement == nil {
		d.Statement = s.claims.Statement
	}
}

func (d *description) addHashes(on sources.Platform, claims []hashing.Claim) {
	for _, claim := range claims {
		if claim.Hash.Known() && !slices.Contains(d.Archives[on], claim.Hash) {
			d.Archives[on] = append(d.Archives[on], claim.Hash)
		}
	}
	slices.Sort(d.Archives[on])
}

func about(claims []hashing.Claim, on sources.Platform) []hashing.Claim {
	var own []hashing.Claim
	for _, claim := range claims {
		if claim.Platform == on.String() {
			own = append(own, claim)
		}
	}
	return own
}
