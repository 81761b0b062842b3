package interop_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const kills = 6 // at random moments

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

// duration measures how long a process takes that nobody kills.
func duration(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	started := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return time.Since(started)
}

// kill starts a process and kills it at some moment of a duration. It reports whether it was still running then.
func kill(t *testing.T, cmd *exec.Cmd, moment time.Duration) bool {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(moment, func() { _ = cmd.Process.Kill() }) // it may be done
	defer timer.Stop()
	err := cmd.Wait()
	if err != nil && cmd.ProcessState.Exited() {
		t.Fatalf("it failed before it was killed: %v", err)
	}
	return err != nil
}

// atRandom runs the test for moments spread at random over a duration. At least one must be early enough to kill.
func atRandom(t *testing.T, total time.Duration, test func(t *testing.T, moment time.Duration) bool) {
	t.Helper()
	killed := false
	for i := range kills {
		moment := time.Duration((float64(i) + rand.Float64()) / kills * float64(total))
		t.Run(fmt.Sprint("after ", moment.Round(time.Millisecond)), func(t *testing.T) {
			killed = test(t, moment) || killed
		})
	}
	if !killed {
		t.Errorf("in %v, nothing was killed", total)
	}
}

func TestClientsSucceedWhereWeWereKilled(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := slowWorld(t, c)
		total := duration(t, w.module(t, twoRequired).sharing(t.TempDir()).child(t.Context()))
		atRandom(t, total, func(t *testing.T, moment time.Duration) bool {
			m := w.module(t, twoRequired).sharing(t.TempDir())
			killed := kill(t, m.child(t.Context()), moment)
			m.run(t, "init")
			checkPackages(t, m, m.cache)
			return killed
		})
	})
}

func TestWeSucceedWhereClientsWereKilled(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := slowWorld(t, c)
		total := duration(t, w.module(t, twoRequired).sharing(t.TempDir()).command(t.Context(), "init"))
		atRandom(t, total, func(t *testing.T, moment time.Duration) bool {
			m := w.module(t, twoRequired).sharing(t.TempDir())
			killed := kill(t, m.command(t.Context(), "init"), moment)
			m.install(t)
			checkPackages(t, m, m.cache)
			checkTidy(t, m.cache)
			unchanged(t, m, func() { m.run(t, "init", "-lockfile=readonly") })
			return killed
		})
	})
}
