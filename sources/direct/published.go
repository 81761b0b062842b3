package direct

import (
	"fmt"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// packagesMember is OpenTofu's extension: the hashes of one platform's package, "linux_amd64" being the member's name.
type packagesMember struct {
	Hashes []string `json:"hashes"`
}

func parsePackages(members map[string]*packagesMember) (map[sources.Platform][]hashing.Hash, error) {
	published := make(map[sources.Platform][]hashing.Hash, len(members))
	for name, member := range members {
		on, err := sources.ParsePlatform(name)
		if err != nil {
			return nil, fmt.Errorf("packages: %w", err)
		}
		if member == nil {
			return nil, fmt.Errorf("packages: %s is null", name)
		}
		for _, text := range member.Hashes {
			hash, err := hashing.ParseHash(text)
			if err != nil {
				return nil, fmt.Errorf("packages: %s: %w", name, err)
			}
			published[on] = append(published[on], hash)
		}
	}
	return published, nil
}

// addPublished adds the hashes of the packages member, for those platforms whose archive is among the sums.
func (w *voucher) addPublished(claims *hashing.Claims, sums hashing.Sums) error {
	for on, hashes := range w.published {
		bound, err := w.bind(on, hashes, sums)
		if err != nil {
			return err
		}
		if bound { // otherwise nothing ties these hashes to what the sums say
			w.addPlatform(claims, on, hashes)
		}
	}
	return nil
}

// bind compares the hashes of a platform's archive with the sums. They must be there, under a name that is the
// platform's.
func (w *voucher) bind(on sources.Platform, hashes []hashing.Hash, sums hashing.Sums) (bound bool, err error) {
	want := make(map[hashing.Hash]bool)
	for _, sum := range sums {
		if signed.PlatformOf(sum.Filename) == on.String() || on == w.platform && sum.Filename == w.filename {
			want[sum.Hash] = true
		}
	}
	for _, hash := range hashes {
		if hash.Scheme() != hashing.SchemeZH {
			continue
		}
		if !want[hash] || on == w.platform && hash != w.sum {
			return false, fmt.Errorf("%w: packages: %s of %s contradicts the SHA256SUMS document", sources.ErrMalformed, hash, on)
		}
		bound = true
	}
	return bound, nil
}

func (w *voucher) addPlatform(claims *hashing.Claims, on sources.Platform, hashes []hashing.Hash) {
	for _, hash := range hashes {
		claim := hashing.Claim{Hash: hash, Authority: hashing.Reported, Platform: on.String()}
		switch {
		case hash.Scheme() == hashing.SchemeZH: // already claimed, by the sums
		case on == w.platform:
			claims.Package = append(claims.Package, claim)
		default:
			claims.Others = append(claims.Others, claim)
		}
	}
}
