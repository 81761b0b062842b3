package installer_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The events are as promised also where installations meet in one cache and one project, and somebody else damages and
// removes packages meanwhile.
func TestEventsUnderContention(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Delay: 20 * time.Millisecond})
	req := require("acme/alpha", "", "acme/beta", "")
	locks := f.install(req).Locks
	shared := t.TempDir()
	everybody := []*watcher{
		watch(t, f.installer(shared, f.in.CacheDir)), watch(t, f.installer(shared, f.in.CacheDir)), watch(t, f.installer(shared, "")),
		watch(t, f.installer(t.TempDir(), f.in.CacheDir)), watch(t, f.installer(t.TempDir(), f.in.CacheDir)),
	}
	everybody[3].in.Link, everybody[4].in.Link = installer.LinkCopy, installer.LinkHardlink
	installed, failed := 0, 0
	for round := range 8 {
		f.spoil(rand.New(rand.NewPCG(uint64(round), 1)), everybody)
		var wait sync.WaitGroup
		results := make([]error, len(everybody))
		for i, w := range everybody {
			req := req
			if (i+round)%2 == 0 {
				req.Locks = locks
			}
			wait.Go(func() {
				results[i] = w.call(func() error {
					_, err := w.in.Install(t.Context(), req)
					return err
				})
			})
		}
		f.spoil(rand.New(rand.NewPCG(uint64(round), 2)), everybody)
		wait.Wait()
		for _, err := range results {
			if err == nil {
				installed++
				continue
			}
			failed++
			t.Log(err) // what somebody takes away all the time cannot be installed
		}
	}
	seen := map[string]int{}
	for _, w := range everybody {
		w.close()
		for step, n := range w.seen {
			seen[step] += n
		}
	}
	t.Logf("%d installed, %d failed, events: %v", installed, failed, seen)
	if installed < failed || seen["waiting:home"] == 0 || seen["cache-hit:home"] == 0 || seen["healed:home"] == 0 || seen["present"] == 0 {
		t.Errorf("%d were installed and %d failed, with %v: that says little", installed, failed, seen)
	}
}

// spoil damages some packages and removes others, in the cache and in the projects.
func (f *fixture) spoil(r *rand.Rand, everybody []*watcher) {
	on := sources.CurrentPlatform()
	for _, name := range []string{"alpha", "beta"} {
		place := filepath.FromSlash(sources.PackagePath(provider("acme/"+name), version("1.0.0"), on))
		for _, dir := range []string{f.in.CacheDir, everybody[r.IntN(len(everybody))].in.Dir} {
			path := filepath.Join(dir, place)
			var err error
			switch r.IntN(3) {
			case 0:
				err = os.RemoveAll(path)
			case 1:
				err = os.WriteFile(filepath.Join(path, "more"), []byte("more"), 0o600)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				f.Logf("spoiling %s: %v", path, err)
			}
		}
	}
}
