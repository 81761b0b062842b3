package interop_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// twoProviders is a world of two providers, one of them with a manifest.
func twoProviders(t *testing.T, c cli) *world {
	return newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.2.3", Platforms: everywhere},
		{Provider: "hashicorp/alpha", Version: "0.1.0", Platforms: everywhere, Manifest: true},
	}})
}

var twoRequired = files{"main.tf": requires(rocket+" ~> 1.0", "hashicorp/alpha")}

// unchanged runs do and checks that the lock file is what it was.
func unchanged(t *testing.T, m *module, do func()) {
	t.Helper()
	before := m.lock(t)
	do()
	if after := m.lock(t); after != before {
		t.Errorf("the lock file was changed from:\n%s\nto:\n%s", before, after)
	}
}

// withoutDownloads runs do and checks that nobody downloaded a package.
func withoutDownloads(t *testing.T, w *world, do func()) {
	t.Helper()
	w.srv.ResetRequests()
	do()
	if n := w.downloads(); n != 0 {
		t.Errorf("%d packages were downloaded again", n)
	}
}

// withoutRequests runs do and checks that nobody asked the registry anything.
func withoutRequests(t *testing.T, w *world, do func()) {
	t.Helper()
	w.srv.ResetRequests()
	do()
	if requests := w.srv.Requests(); len(requests) != 0 {
		t.Errorf("there were %d requests; the first: %s %s", len(requests), requests[0].Method, requests[0].Path)
	}
}

func TestClientsAcceptOurLockFile(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m := twoProviders(t, c).module(t, twoRequired)
		if err := m.init(m).Lock(t.Context(), sources.CurrentPlatform()); err != nil {
			t.Fatal(err)
		}
		unchanged(t, m, func() { m.run(t, "init", "-lockfile=readonly") })
		unchanged(t, m, func() { m.run(t, "init") })
	})
}

func TestClientsUseOurDirectory(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		for name, cache := range map[string]string{"alone": "", "linked to our cache": t.TempDir()} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := twoProviders(t, c).module(t, twoRequired).sharing(cache)
				m.install(t)
				m.cache = "" // the client is to find out about the directory by itself
				unchanged(t, m, func() {
					withoutDownloads(t, m.world, func() {
						m.run(t, "init", "-lockfile=readonly")
						m.run(t, "providers")
						if output := m.run(t, "version"); !strings.Contains(output, rocket+" v1.2.3") {
							t.Errorf("%s version does not name the provider:\n%s", c.name, output)
						}
					})
				})
			})
		}
	})
}

func TestClientsUseOurCache(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		cache := t.TempDir()
		first := twoProviders(t, c).module(t, twoRequired).sharing(cache)
		first.install(t)
		second := first.module(t, twoRequired).sharing(cache)
		second.write(t, files{".terraform.lock.hcl": first.lock(t)})
		unchanged(t, second, func() {
			withoutDownloads(t, second.world, func() { second.run(t, "init") })
		})
	})
}

func TestWeUseTheClientsDirectory(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m := twoProviders(t, c).module(t, twoRequired)
		m.run(t, "init")
		unchanged(t, m, func() {
			withoutRequests(t, m.world, func() {
				for _, p := range m.install(t).Packages {
					if !p.Proof.Locked {
						t.Errorf("%s is not proven by the lock file", p.Selection.Provider)
					}
				}
			})
		})
	})
}

func TestWeUseTheClientsCache(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		cache := t.TempDir()
		first := twoProviders(t, c).module(t, twoRequired).sharing(cache)
		first.run(t, "init")
		second := first.module(t, twoRequired).sharing(cache)
		second.write(t, files{".terraform.lock.hcl": first.lock(t)})
		unchanged(t, second, func() {
			withoutRequests(t, second.world, func() {
				for _, p := range second.install(t).Packages {
					if within(cache, p.Stored) {
						continue
					}
					t.Errorf("%s is not linked to the cache but to %q", p.Selection.Provider, p.Stored)
				}
			})
		})
	})
}

func within(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}
