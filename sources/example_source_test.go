package sources_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"

	"github.com/purveyor-dev/purveyor/sources"
)

// shelfSource has the packages of one provider in memory. Three methods make a source.
type shelfSource struct {
	provider sources.Provider
	archives map[sources.Version][]byte // for any platform
}

func (s shelfSource) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	if p != s.provider {
		return sources.Listing{}, &sources.Error{Op: "list versions", Source: s.String(), Provider: p, Err: sources.ErrNotFound}
	}
	var listing sources.Listing
	for v := range s.archives {
		listing.Versions = append(listing.Versions, sources.Available{Version: v})
	}
	return listing, ctx.Err()
}

func (s shelfSource) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	archive, ok := s.archives[v]
	if p != s.provider || !ok {
		return nil, &sources.Error{Op: "describe package", Source: s.String(), Provider: p, Version: v, Platform: on, Err: sources.ErrNotFound}
	}
	open := func(ctx context.Context) (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(archive)), int64(len(archive)), ctx.Err()
	}
	return &sources.Package{
		Provider: p, Version: v, Platform: on,
		Location: "the shelf",
		Content:  sources.Content{Archive: sources.OpenFunc(open)},
	}, ctx.Err()
}

func (shelfSource) String() string { return "the shelf" }

// Whoever implements the three methods has a source. Package sourcetest tells whether it keeps the rules.
func ExampleSource() {
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	var shelf sources.Source = shelfSource{
		provider: rocket,
		archives: map[sources.Version][]byte{sources.MustParseVersion("1.0.0"): []byte("a zip archive")},
	}
	chain := sources.Chain{{Source: shelf}}
	listing, err := chain.Versions(context.Background(), rocket)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range listing.Versions {
		fmt.Println(a.Version, "from", a.From)
	}
	// Output:
	// 1.0.0 from [the shelf]
}
