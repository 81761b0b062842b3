package installer_test

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Wherever an installation is killed, the next one succeeds without anybody's help. The moments are spread over what
// an undisturbed installation takes, with and without a lock file and a cache.
func TestKillAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many processes")
	}
	t.Parallel()
	moments := 60
	if raceDetector {
		moments = 4 // everything takes ten times as long
	}
	f := setup(t,
		registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 6 << 20},
		registrytest.Release{Provider: "acme/beta", Version: "1.0.0", Size: 3 << 20, Seed: 1},
	)
	req := require("acme/alpha", "", "acme/beta", "")
	locks := f.install(req).Locks

	started := time.Now()
	if err := f.freshOrder(t, 0).child(t).Run(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(started)

	killed := 0
	for i := range moments {
		o := f.freshOrder(t, i)
		for range 1 + rand.IntN(2) { // also what was left by two
			if kill(t, o.child(t), rand.N(whole)) {
				killed++
			}
		}
		survivor := f.installer(o.Dir, o.CacheDir)
		again := o.request()
		result, err := survivor.Install(t.Context(), again)
		if err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		for _, pkg := range result.Packages {
			tree, err := hashing.Dir(t.Context(), pkg.Dir)
			want := locks[pkg.Selection.Provider].Hashes
			if err != nil || tree != pkg.Proof.Computed.Tree || tree != want[0] {
				t.Fatalf("after kill %d: tree is %s (%v), want %s", i, tree, err, want[0])
			}
		}
	}
	if killed < moments/4 {
		t.Errorf("only %d of %d kills came before the end", killed, moments)
	}
}

// freshOrder makes orders of all kinds in turn.
func (f *fixture) freshOrder(t *testing.T, i int) order {
	req := require("acme/alpha", "", "acme/beta", "")
	if i%2 == 1 {
		req.Locks = f.install(req).Locks
	}
	o := f.order(req)
	o.Dir, o.CacheDir = t.TempDir(), ""
	if i%4 < 2 {
		o.CacheDir = t.TempDir()
	}
	if i%8 < 4 {
		o.Segment = 64 << 10 // the archives come in parts
	}
	return o
}

// kill starts a process and kills it after a while. It reports whether the process was still alive then.
func kill(t *testing.T, cmd *exec.Cmd, after time.Duration) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill() // it may have ended
	return cmd.Wait() != nil
}

// Twenty processes want the same provider in one cache at once. With a lock file, or a common memory of what was
// verified, one of them downloads it.
func TestTwentyProcessesShareOneDownload(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many processes")
	}
	t.Parallel()
	const processes = 20
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 8 << 20})
	locked := require("acme/alpha", "")
	locked.Locks = f.install(locked).Locks
	remembering := f.order(require("acme/alpha", ""))
	remembering.Records = filepath.Join(t.TempDir(), "records")

	for name, o := range map[string]order{"with a lock file": f.order(locked), "with a memory": remembering} {
		f.srv.ResetRequests()
		o.CacheDir = t.TempDir()
		var wait sync.WaitGroup
		for range processes {
			o.Dir = t.TempDir()
			cmd := o.child(t)
			wait.Go(func() {
				if err := cmd.Run(); err != nil {
					t.Errorf("%s: a process failed: %v", name, err)
				}
			})
		}
		wait.Wait()
		if n := f.srv.Count(registrytest.KindArchive); n != 1 {
			t.Errorf("%s: %d processes downloaded the archive, want 1", name, n)
		}
	}
}
