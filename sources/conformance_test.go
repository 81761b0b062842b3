package sources_test

import (
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

// registry returns a source with one release of registry.example.com/acme/rocket for linux_amd64.
func registry(t *testing.T, version string) sources.Source {
	t.Helper()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: version, Platforms: []string{"linux_amd64"}},
	}})
	return direct.New(direct.Config{Client: s.Client(), Backoff: time.Millisecond})
}

// released is what the registries have.
func released(versions ...string) sourcetest.Fixture {
	var f sourcetest.Fixture
	for _, version := range versions {
		f.Packages = append(f.Packages, sourcetest.Package{
			Provider: sources.MustParseProvider("registry.example.com/acme/rocket"),
			Version:  sources.MustParseVersion(version),
			Platform: linux,
		})
	}
	return f
}

func TestChainKeepsTheRules(t *testing.T) {
	t.Parallel()
	c := sources.Chain{
		{Source: registry(t, "1.0.0"), Include: patterns("registry.example.com/*/*")},
		passing(registry(t, "2.0.0")),
		{Source: fails("unused", errDown), Exclude: patterns("*/*/*")},
	}
	if err := sourcetest.TestSource(t.Context(), c, released("1.0.0", "2.0.0")); err != nil {
		t.Error(err)
	}
}

func TestMemoKeepsTheRules(t *testing.T) {
	t.Parallel()
	if err := sourcetest.TestSource(t.Context(), sources.Memo(registry(t, "1.0.0")), released("1.0.0")); err != nil {
		t.Error(err)
	}
}

func TestMemoOfAChainKeepsTheRules(t *testing.T) {
	t.Parallel()
	m := sources.Memo(chain(registry(t, "1.0.0"), registry(t, "2.0.0")))
	if err := sourcetest.TestSource(t.Context(), m, released("2.0.0", "1.0.0")); err != nil {
		t.Error(err)
	}
}
