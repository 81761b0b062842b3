package installer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// counted is a kind of source, with an installer whose requests are counted.
type counted struct {
	*testing.T
	name   string
	srv    *registrytest.Server
	prefix string // of the providers' addresses
	in     *installer.Installer
}

// sourcesToCount are those of the table in the package comment.
var sourcesToCount = map[string]func(*testing.T, *registrytest.Server) sources.Source{
	"registry": func(_ *testing.T, srv *registrytest.Server) sources.Source {
		return direct.New(direct.Config{Client: srv.Client()})
	},
	"network mirror": func(t *testing.T, srv *registrytest.Server) sources.Source {
		source, err := netmirror.New(netmirror.Config{URL: srv.MirrorURL(), Client: srv.Client()})
		if err != nil {
			t.Fatal(err)
		}
		return source
	},
	"OCI mirror": func(t *testing.T, srv *registrytest.Server) sources.Source {
		source, err := ocimirror.New(ocimirror.Config{Client: srv.Client(), Repository: func(p sources.Provider) (registry, repository string, err error) {
			registry, repository, _ = strings.Cut(srv.OCIRepository(p.Namespace()+"/"+p.Type()), "/")
			return registry, repository, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return source
	},
	"directory": func(t *testing.T, srv *registrytest.Server) sources.Source {
		dir := t.TempDir()
		if err := srv.WriteMirror(dir, registrytest.Packed, srv.Host()+"/acme/alpha", srv.Host()+"/acme/beta"); err != nil {
			t.Fatal(err)
		}
		return fsmirror.New(dir)
	},
}

// The package comment says how many requests there are.
func TestRequests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ first, locked, remembered, further int }{
		"registry":       {6, 5, 2, 5},
		"network mirror": {3, 2, 3, 3}, // what nobody signed is fetched again and compared
		"OCI mirror":     {6, 5, 6, 6},
		"directory":      {0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := count(t, name)
			first := c.install(want.first, nil, "alpha")
			c.install(0, first, "alpha")
			c.in.Dir = t.TempDir()
			c.install(0, first, "alpha") // it is in the cache
			c.in.Dir = t.TempDir()
			c.install(want.remembered, nil, "alpha")
			count(t, name).install(want.locked, first, "alpha")
			count(t, name).install(want.first+want.further, nil, "alpha", "beta")

			large := count(t, name)
			large.in.SegmentSize = 64 << 10
			large.install(want.first+min(1, want.first), nil, "alpha")
		})
	}
}

func count(t *testing.T, name string) *counted {
	t.Helper()
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/alpha", Version: "1.0.0", Size: 1 << 20}, {Provider: "acme/beta", Version: "1.0.0", Seed: 1},
	}})
	return &counted{t, name, srv, srv.Host() + "/acme/", &installer.Installer{
		Dir: t.TempDir(), CacheDir: t.TempDir(), RecordDir: filepath.Join(t.TempDir(), "records"),
	}}
}

// install installs with a source that has not been asked anything yet. The locks may be of another test server.
func (c *counted) install(want int, locks installer.Locks, names ...string) installer.Locks {
	c.Helper()
	c.in.Source = sourcesToCount[c.name](c.T, c.srv)
	req := installer.Request{Requirements: installer.Requirements{}, Locks: installer.Locks{}}
	for _, name := range names {
		p := sources.MustParseProvider(c.prefix + name)
		req.Requirements[p] = sources.Constraints{}
		for locked, lock := range locks {
			if locked.Type() == name {
				req.Locks[p] = lock
			}
		}
	}
	c.srv.ResetRequests()
	result, err := c.in.Install(c.Context(), req)
	if err != nil {
		c.Fatal(err)
	}
	if got := c.srv.Requests(); len(got) != want {
		c.Errorf("%d requests for %v, want %d: %v", len(got), names, want, got)
	}
	return result.Locks
}
