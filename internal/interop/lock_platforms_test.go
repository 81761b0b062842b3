package interop_test

import (
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// lockedEverywhere is a module with two providers and a lock file by us for four platforms.
func lockedEverywhere(t *testing.T, c cli, h1 bool) *module {
	t.Helper()
	w := newWorld(t, c, registrytest.Config{Releases: append(releases("acme/rocket", "1.2.3"), releases("acme/sled", "0.1.0")...)})
	m := w.module(t, files{"main.tf": requires(rocket, sled)})
	var platforms []sources.Platform
	for _, platform := range []string{"darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"} {
		on, err := sources.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		platforms = append(platforms, on)
	}
	locks, err := (&installer.Installer{Source: m.source()}).Lock(t.Context(), installer.Request{
		Requirements: installer.Requirements{sources.MustParseProvider(rocket): {}, sources.MustParseProvider(sled): {}},
		H1:           h1,
	}, platforms)
	if err != nil {
		t.Fatal(err)
	}
	if err := lockfile.Write(m.lockFile(), locks); err != nil {
		t.Fatal(err)
	}
	return m
}

// The signed checksums alone are a lock file that the real client installs by. Once it may add the hashes of the contents
// to the file, it also starts the providers.
func TestClientsInstallByLocksWithoutDownloads(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m := lockedEverywhere(t, c, false)
		if n := m.downloads(); n != 0 {
			t.Fatalf("%d archives were downloaded to lock", n)
		}
		before := m.locks(t)
		unchanged(t, m, func() {
			if output := m.run(t, "init", "-lockfile=readonly"); !strings.Contains(output, "Provider lock file not updated") {
				t.Errorf("%s did not say that it has hashes to add:\n%s", c.name, output)
			}
		})
		if _, err := m.try(t.Context(), "providers", "schema", "-json"); err == nil {
			t.Errorf("%s starts a package of which the lock file has no h1: hash: the comment on Request.H1 says otherwise", c.name)
		}

		m.run(t, "init")
		for p, lock := range m.locks(t) {
			if got, want := count(lock.Hashes, "h1"), 1; got != want || len(lock.Hashes) != len(before[p].Hashes)+1 {
				t.Errorf("%s: hashes are %v, want those before and one h1", p, lock.Hashes)
			}
		}
		m.mustStart(t)
	})
}

// With the hashes of the contents nothing is left to add.
func TestClientsRunByReadonlyLocks(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m := lockedEverywhere(t, c, true)
		unchanged(t, m, func() {
			if output := m.run(t, "init", "-lockfile=readonly"); strings.Contains(output, "not updated") {
				t.Errorf("%s has something to add:\n%s", c.name, output)
			}
		})
		m.mustStart(t)
	})
}

// mustStart checks that the client accepts the installed packages. They are no real providers, so it gets no further than
// to talk to them.
func (m *module) mustStart(t *testing.T) {
	t.Helper()
	if output, _ := m.try(t.Context(), "providers", "schema", "-json"); strings.Contains(output, "Required plugins are not installed") {
		t.Errorf("%s refuses the packages:\n%s", m.cli.name, output)
	}
}
