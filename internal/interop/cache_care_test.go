package interop_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
)

// ageCache makes the packages in a cache look as if nobody had used them for a month.
func ageCache(t *testing.T, entries []installer.CacheEntry) {
	t.Helper()
	then := time.Now().AddDate(0, -1, 0)
	for _, e := range entries {
		if err := os.Chtimes(e.Path, then, then); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(e.Path + ".lock"); err != nil {
			continue
		}
		if err := os.Chtimes(e.Path+".lock", then, then); err != nil {
			t.Fatal(err)
		}
	}
}

// A cache that a real client has filled is listed, verified and pruned like ours, and what the client finds afterwards it
// uses, or brings again.
func TestCachesOfClientsArePruned(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m := twoProviders(t, c).module(t, twoRequired).sharing(t.TempDir())
		m.run(t, "init")
		care := &installer.Cache{Dir: m.cache}
		list, err := care.List(t.Context())
		if err != nil || len(list) != len(m.locks(t)) {
			t.Fatalf("the list is %+v, %v", list, err)
		}
		verdicts, err := care.Verify(t.Context(), m.locks(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts {
			if v.State != installer.CacheReady || v.Err != nil || v.Proof == nil || !v.Proof.Locked {
				t.Errorf("%s: %+v", v.Path, v)
			}
		}

		ageCache(t, list)
		m.install(t) // the project links to the packages: now they are in use
		if pruned, err := care.Prune(t.Context(), installer.CachePrune{OlderThan: 24 * time.Hour}); err != nil || len(pruned.Removed) != 0 {
			t.Errorf("pruned what is in use: %+v, %v", pruned, err)
		}
		unchanged(t, m, func() {
			withoutDownloads(t, m.world, func() { m.run(t, "init") })
		})

		ageCache(t, list)
		pruned, err := care.Prune(t.Context(), installer.CachePrune{OlderThan: 24 * time.Hour})
		if err != nil || len(pruned.Removed) != len(list) || pruned.Left != 0 {
			t.Fatalf("pruned %+v, %v", pruned, err)
		}
		checkTidy(t, m.cache)
		unchanged(t, m, func() { m.run(t, "init") }) // its links dangled
		checkPackages(t, m, m.cache)
	})
}

// Keeping what lock files name is how a cache is pruned that only the clients use.
func TestPruneKeepsWhatClientsLocked(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m := twoProviders(t, c).module(t, twoRequired).sharing(t.TempDir())
		m.run(t, "init")
		care := &installer.Cache{Dir: m.cache}
		list, err := care.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ageCache(t, list)
		pruned, err := care.Prune(t.Context(), installer.CachePrune{OlderThan: 24 * time.Hour, Keep: []installer.Locks{m.locks(t)}})
		if err != nil || len(pruned.Removed) != 0 {
			t.Errorf("pruned %+v, %v", pruned, err)
		}
		if err := os.RemoveAll(filepath.Join(m.dir, ".terraform")); err != nil {
			t.Fatal(err)
		}
		withoutDownloads(t, m.world, func() { m.run(t, "init") })
	})
}
