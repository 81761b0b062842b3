package mirror

import (
	"cmp"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Report says what a Build has done. It can be encoded as JSON.
type Report struct {
	Target   string    `json:"target"`   // by its String
	Releases []Release `json:"releases"` // in the order of addresses, the newest version first
}

// Release says what a mirror has now of one version that was asked for. Versions of which it has nothing are not reported,
// unless everything that they lack is optional.
type Release struct {
	Provider sources.Provider   `json:"provider"`
	Version  sources.Version    `json:"version"`
	Added    []sources.Platform `json:"added,omitempty"`   // packages that were published now, sorted
	Present  []sources.Platform `json:"present,omitempty"` // packages that were there, sorted
	Missing  []sources.Platform `json:"missing,omitempty"` // optional packages that the source does not have, sorted

	// Authority is how the packages are proven, "signed", "reported" or "unverified": by the weakest of their proofs. What
	// was there already is proven by what the source vouches for now.
	Authority string `json:"authority,omitempty"`

	// Signers are the fingerprints of the keys by which packages are signed, sorted; empty unless Authority is "signed".
	Signers []string `json:"signers,omitempty"`

	// Signed says that the mirror has the origin's signature over the packages. A target that lacked nothing, and wants a
	// file of each package, was not asked: then it is false.
	Signed bool `json:"signed"`

	Bytes   int64  `json:"bytes"`             // that were downloaded
	Address string `json:"address,omitempty"` // where the packages are, [sources.Pushed.Address]
	Digest  string `json:"digest,omitempty"`  // [sources.Pushed.Digest]
}

// describe adds what is known of the packages.
func (rel *Release) describe(parcels []*parcel) {
	weakest := hashing.Signed
	for _, p := range parcels {
		rel.Bytes += p.size
		weakest = min(weakest, p.proof.Authority)
		if p.proof.Signer != nil && !slices.Contains(rel.Signers, p.proof.Signer.Fingerprint) {
			rel.Signers = append(rel.Signers, p.proof.Signer.Fingerprint)
		}
	}
	if len(parcels) > 0 {
		rel.Authority = weakest.String()
	}
	if weakest < hashing.Signed {
		rel.Signers = nil
	}
	slices.Sort(rel.Signers)
}

// note adds what has become of the packages.
func (rel *Release) note(pushed *sources.Pushed) {
	rel.Added, rel.Present = pushed.Added, pushed.Present
	rel.Signed, rel.Digest = pushed.Signed, pushed.Digest
	rel.Address = cmp.Or(pushed.Address, rel.Address)
}
