// Package mirrorjson is the two documents of the provider network mirror protocol, which both network mirrors and plain
// file stores have: https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol. [Index] and
// [Version] are what one reads in them; [IndexDraft] and [VersionDraft] change them, and leave everything else as it is.
package mirrorjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// The largest accepted documents, in bytes.
const (
	MaxIndexDocument   = 16 << 20 // index.json
	MaxVersionDocument = 4 << 20  // VERSION.json
)

// IndexName is the name of the document that lists versions.
const IndexName = "index.json"

// VersionName returns the name of the document about one version, in the mirror's spelling.
func VersionName(spelling string) string { return spelling + ".json" }

// HostNames are the forms in which mirrors spell a host, the protocol's first: "terraform providers mirror" makes
// directories with the Unicode form, and network mirrors are asked for the ASCII form.
func HostNames(h sources.Host) []string {
	if h.String() == h.ASCII() {
		return []string{h.ASCII()}
	}
	return []string{h.ASCII(), h.String()}
}

// Index is index.json: the versions are the names of its members, whose values mean nothing yet.
type Index struct {
	Versions map[string]json.RawMessage `json:"versions"`
}

// Listing returns the versions. One that cannot be parsed is skipped with a warning in the name of the source; the
// spellings of the others are noted.
func (x Index) Listing(source string, p sources.Provider, spellings *remote.Spellings) sources.Listing {
	var listing sources.Listing
	seen := make(map[sources.Version]bool, len(x.Versions))
	for _, spelling := range slices.Sorted(maps.Keys(x.Versions)) {
		v, err := sources.ParseVersion(spelling)
		if err != nil {
			listing.Warnings = append(listing.Warnings, fmt.Sprintf("%s lists %.*q for %s, which is not a version; skipped",
				source, remote.MaxShown, spelling, p))
			continue
		}
		if !seen[v] {
			seen[v] = true
			spellings.Note(p, v, spelling)
			listing.Versions = append(listing.Versions, sources.Available{Version: v})
		}
	}
	listing.Warnings = remote.Bounded(listing.Warnings)
	return listing
}

// Version is VERSION.json: archives by the name of the platform, of which a member may be null; and, from mirrors that keep
// signatures, where these are.
type Version struct {
	Archives  map[string]*Archive `json:"archives"`
	Statement *Statement          `json:"origin_statement"`
}

// Archive says where the archive of one platform is, relative to the document, and what its hashes are.
type Archive struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// Platforms returns the platforms that there are archives for, sorted.
func (d Version) Platforms() []sources.Platform {
	var available []sources.Platform
	for name := range d.Archives {
		if on, err := sources.ParsePlatform(name); err == nil {
			available = append(available, on)
		}
	}
	slices.SortFunc(available, sources.Platform.Compare)
	return available
}

// Claims translates the hashes of one platform, and with others those of the other platforms, into what the mirror
// reports.
func (d Version) Claims(on sources.Platform, others bool) (hashing.Claims, error) {
	var claims hashing.Claims
	for _, name := range slices.Sorted(maps.Keys(d.Archives)) {
		own := name == on.String()
		if d.Archives[name] == nil || !own && !others {
			continue
		}
		reported, err := reported(name, d.Archives[name].Hashes)
		switch {
		case err != nil:
			return hashing.Claims{}, err
		case own:
			claims.Package = reported
		default:
			claims.Others = append(claims.Others, reported...)
		}
	}
	return claims, nil
}

func reported(platform string, texts []string) ([]hashing.Claim, error) {
	var claims []hashing.Claim
	for _, text := range texts {
		hash, err := hashing.ParseHash(text)
		if err != nil {
			return nil, fmt.Errorf("the hashes of %s: %w", platform, err)
		}
		claims = append(claims, hashing.Claim{Hash: hash, Authority: hashing.Reported, Platform: platform})
	}
	return claims, nil
}
