package direct_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

var (
	linux   = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin  = sources.Platform{OS: "darwin", Arch: "arm64"}
	windows = sources.Platform{OS: "windows", Arch: "amd64"}
	v1      = sources.MustParseVersion("1.0.0")

	// example is a host under which clients of a test registry find it.
	example = sources.MustParseHost("registry.example.com")
)

// alpha is a release for two platforms.
func alpha() registrytest.Release {
	return registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux_amd64", "darwin_arm64"}}
}

// start runs a registry with these releases, alpha if there are none.
func start(t *testing.T, releases ...registrytest.Release) *registrytest.Server {
	t.Helper()
	if releases == nil {
		releases = []registrytest.Release{alpha()}
	}
	return registrytest.New(t, registrytest.Config{Releases: releases})
}

// misbehave puts a fault in force.
func misbehave(t *testing.T, s *registrytest.Server, f registrytest.Fault) {
	t.Helper()
	if err := s.AddFault(f); err != nil {
		t.Fatal(err)
	}
}

// connect returns a source that reaches the registry and wastes no time; edit may be nil.
func connect(s *registrytest.Server, edit func(*direct.Config)) *direct.Source {
	config := direct.Config{Client: s.Client(), Backoff: time.Millisecond}
	if edit != nil {
		edit(&config)
	}
	return direct.New(config)
}

// provider returns the address of a provider on a registry, by its port on this machine.
func provider(t *testing.T, s *registrytest.Server, name string) sources.Provider {
	t.Helper()
	p, err := sources.ParseProvider(s.Host() + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// editing returns a fault's Edit that changes a JSON object.
func editing(edit func(doc map[string]any)) func([]byte) []byte {
	return func(body []byte) []byte {
		var doc map[string]any
		if json.Unmarshal(body, &doc) != nil {
			return body
		}
		edit(doc)
		edited, err := json.Marshal(doc)
		if err != nil {
			return body
		}
		return edited
	}
}

// set returns an editing that sets one member.
func set(member string, value any) func([]byte) []byte {
	return editing(func(doc map[string]any) { doc[member] = value })
}

// without returns an editing that removes one member.
func without(member string) func([]byte) []byte {
	return editing(func(doc map[string]any) { delete(doc, member) })
}

// fetch reads a package's archive.
func fetch(ctx context.Context, pkg *sources.Package) ([]byte, error) {
	r, _, err := pkg.Content.Archive.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func TestSourceKeepsTheRules(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{
		Token: "s3cret",
		Releases: []registrytest.Release{
			alpha(),
			{Provider: "acme/alpha", Version: "1.10", Platforms: []string{"linux_amd64"}, Packages: true, Manifest: true},
			{Provider: "acme/beta", Version: "2.0.0-rc.1", Platforms: []string{"windows_amd64"}, RelativeURLs: true},
		},
	})
	fixture := sourcetest.Fixture{Secrets: []string{"s3cret"}}
	for _, known := range []struct {
		name, version string
		on            sources.Platform
	}{
		{"acme/alpha", "1.0.0", linux},
		{"acme/alpha", "1.0.0", darwin},
		{"acme/alpha", "1.10.0", linux},
		{"acme/beta", "2.0.0-rc.1", windows},
	} {
		fixture.Packages = append(fixture.Packages, sourcetest.Package{
			Provider: provider(t, s, known.name), Version: sources.MustParseVersion(known.version), Platform: known.on,
		})
	}
	source := connect(s, func(c *direct.Config) {
		c.Credentials = sources.StaticCredentials{sources.MustParseHost(s.Host()): "s3cret"}
	})
	if err := sourcetest.TestSource(t.Context(), source, fixture); err != nil {
		t.Error(err)
	}
}

func TestZeroConfig(t *testing.T) {
	t.Parallel()
	if name := direct.New(direct.Config{}).String(); name == "" {
		t.Error("a source without a name")
	}
}
