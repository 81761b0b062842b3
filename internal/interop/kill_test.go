package interop_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const kills = 6 // of either program

// slowWorld is one in which an installation takes long enough to be killed in the middle: of a download, mostly, or
// of what comes before and after.
func slowWorld(t *testing.T, c cli) *world {
	const size, seconds = 8 << 20, 0.4
	return newWorld(t, c, registrytest.Config{
		BytesPerSecond: int64(size * 0.3 / seconds),
		Releases: []registrytest.Release{
			{Provider: "acme/rocket", Version: "1.2.3", Size: size, Seed: 1},
			{Provider: "hashicorp/alpha", Version: "0.1.0", Size: size, Seed: 2},
		},
	})
}

// killed starts a process and kills it after a while, unless it is faster.
func killed(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may be done
	defer timer.Stop()
	if err := cmd.Wait(); err != nil && cmd.ProcessState.Exited() {
		t.Fatalf("it failed before it was killed: %v", err)
	}
}

// moments are when to kill, spread at random over the time that an installation takes.
func moments(total time.Duration) []time.Duration {
	var all []time.Duration
	for i := range kills {
		all = append(all, time.Duration((float64(i)+rand.Float64())/kills*float64(total)))
	}
	return all
}

func TestClientsSucceedWhereWeWereKilled(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := slowWorld(t, c)
		for _, moment := range moments(1500 * time.Millisecond) {
			t.Run(fmt.Sprint("after ", moment.Round(time.Millisecond)), func(t *testing.T) {
				m := w.module(t, twoRequired).sharing(t.TempDir())
				killed(t, m.child(t.Context()), moment)
				m.run(t, "init")
				checkPackages(t, m, m.cache)
			})
		}
	})
}

func TestWeSucceedWhereClientsWereKilled(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := slowWorld(t, c)
		for _, moment := range moments(2500 * time.Millisecond) {
			t.Run(fmt.Sprint("after ", moment.Round(time.Millisecond)), func(t *testing.T) {
				m := w.module(t, twoRequired).sharing(t.TempDir())
				killed(t, m.command(t.Context(), "init"), moment)
				m.install(t)
				checkPackages(t, m, m.cache)
				checkTidy(t, m.cache)
				unchanged(t, m, func() { m.run(t, "init", "-lockfile=readonly") })
			})
		}
	})
}
