package interop_test

import (
	"os/exec"
	"sync"
	"testing"
)

// The clients do not all lock a cache that they share: terraform does not, and fails at times when another terraform
// writes to it. So this asks nothing of theirs but that they end.
func TestManyShareACache(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		const processes = 4 // of ours, and of theirs
		w, cache := slowWorld(t, c), t.TempDir()
		var modules []*module
		var wait sync.WaitGroup
		for range processes {
			ours, theirs := w.module(t, twoRequired).sharing(cache), w.module(t, twoRequired).sharing(cache)
			modules = append(modules, ours)
			wait.Go(func() { mustRun(t, ours.child(t.Context())) })
			wait.Go(func() {
				if output, err := theirs.try(t.Context(), "init"); err != nil {
					t.Logf("one %s did not succeed, which is none of our business: %v\n%s", c.name, err, output)
				}
			})
		}
		wait.Wait()
		for _, m := range modules {
			checkPackages(t, m, cache)
		}
		checkTidy(t, cache)
	})
}

func mustRun(t *testing.T, cmd *exec.Cmd) {
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
