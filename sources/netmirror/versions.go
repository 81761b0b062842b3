package netmirror

import (
	"context"
	"fmt"
	"net/http"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// Versions implements [sources.Source]. The error is a [*sources.Error].
func (s *Source) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := s.versions(ctx, p)
	if err != nil {
		return sources.Listing{}, &sources.Error{Op: "list versions", Source: s.String(), Provider: p, Err: err}
	}
	return listing, nil
}

func (s *Source) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	doc, err := s.get(ctx, p, mirrorjson.IndexName, MaxIndexDocument)
	if err != nil {
		return sources.Listing{}, err
	}
	if doc.Status == http.StatusNotFound {
		return sources.Listing{}, fmt.Errorf("%w: the mirror does not have the provider", sources.ErrNotFound)
	}
	var index mirrorjson.Index
	if err := remote.Decode(doc, &index); err != nil {
		return sources.Listing{}, err
	}
	return index.Listing(s.String(), p, &s.spellings), nil
}
