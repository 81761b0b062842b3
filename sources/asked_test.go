package sources_test

import (
	"errors"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

// A chain gives an account of each of its sources, so that a choice can be explained.
func TestAChainSaysWhatItHeard(t *testing.T) {
	t.Parallel()
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	c := sources.Chain{
		{Source: registry(t, "1.0.0"), Exclude: patterns("registry.example.com/*/*")},
		{Source: fails("nothing", sources.ErrNotFound)},
		{Source: registry(t, "2.0.0")},
	}
	for _, source := range []sources.Source{c, sources.Memo(c)} {
		listing, err := source.Versions(t.Context(), rocket)
		if err != nil || len(listing.Asked) != 3 {
			t.Fatalf("asked %+v, %v", listing.Asked, err)
		}
		left, absent, has := listing.Asked[0], listing.Asked[1], listing.Asked[2]
		if !left.Filtered || left.Err != nil || len(left.Versions) != 0 {
			t.Errorf("the excluded source: %+v", left)
		}
		if absent.Filtered || !errors.Is(absent.Err, sources.ErrNotFound) {
			t.Errorf("the source without the provider: %+v", absent)
		}
		if has.Err != nil || len(has.Versions) != 1 || has.Versions[0] != sources.MustParseVersion("2.0.0") {
			t.Errorf("the source with the provider: %+v", has)
		}
	}

	failing := sources.Chain{{Source: registry(t, "1.0.0")}, {Source: fails("broken", errDown)}}
	listing, err := failing.Versions(t.Context(), rocket)
	if !errors.Is(err, errDown) || len(listing.Asked) != 2 || !errors.Is(listing.Asked[1].Err, errDown) {
		t.Errorf("asked %+v, %v", listing.Asked, err)
	}
}

func TestARuleWithoutSourceIsAnError(t *testing.T) {
	t.Parallel()
	c := sources.Chain{{Source: registry(t, "1.0.0")}, {}}
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	if _, err := c.Versions(t.Context(), rocket); err == nil {
		t.Error("Versions went on without it")
	}
	if _, err := c.Package(t.Context(), rocket, sources.MustParseVersion("1.0.0"), linux); err == nil {
		t.Error("Package went on without it")
	}
	if c.String() == "" {
		t.Error("the chain has no name")
	}
}
