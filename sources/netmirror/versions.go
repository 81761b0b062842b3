package netmirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// indexDocument is index.json: the versions are the names of its members, whose values mean nothing yet.
type indexDocument struct {
	Versions map[string]json.RawMessage `json:"versions"`
}

// Versions implements [sources.Source].
func (s *Source) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := s.versions(ctx, p)
	if err != nil {
		return sources.Listing{}, &sources.Error{Op: "list versions", Source: s.String(), Provider: p, Err: err}
	}
	return listing, nil
}

func (s *Source) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	doc, err := s.get(ctx, p, "index.json", MaxIndexDocument)
	if err != nil {
		return sources.Listing{}, err
	}
	if doc.Status == http.StatusNotFound {
		return sources.Listing{}, fmt.Errorf("%w: the mirror does not have the provider", sources.ErrNotFound)
	}
	var index indexDocument
	if err := remote.Decode(doc, &index); err != nil {
		return sources.Listing{}, err
	}
	var listing sources.Listing
	seen := make(map[sources.Version]bool, len(index.Versions))
	for _, spelling := range slices.Sorted(maps.Keys(index.Versions)) {
		v, err := sources.ParseVersion(spelling)
		if err != nil {
			listing.Warnings = append(listing.Warnings, fmt.Sprintf("%s lists %.*q for %s, which is not a version; skipped",
				s, remote.MaxShown, spelling, p))
			continue
		}
		if !seen[v] {
			seen[v] = true
			s.spellings.Note(p, v, spelling)
			listing.Versions = append(listing.Versions, sources.Available{Version: v})
		}
	}
	return listing, nil
}
