package interop_test

import (
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// slowOCI is a world in which installing from the OCI registry, or publishing there, takes about half a second.
func slowOCI(t *testing.T) (w *ociWorld, network *relay) {
	t.Helper()
	const size, rate = 4 << 20, 3 << 20
	w = newOCIWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.0.0", Size: size, Seed: 1}}})
	network = newRelay(t, w.oci.address, slowlink.Link{SharedBytesPerSecond: rate})
	w.mirrorAt(t, network.address)
	return w, network
}

func TestInstallSucceedsWhereItWasKilled(t *testing.T) {
	t.Parallel()
	w, _ := slowOCI(t)
	w.publish(t, rocket, "1.0.0", here)
	rocketModule := func(t *testing.T) *module {
		return w.module(t, files{"main.tf": requires(rocket)}).sharing(t.TempDir())
	}
	total := duration(t, w.ociChild(t.Context(), rocketModule(t)))
	atRandom(t, total, func(t *testing.T, moment time.Duration) bool {
		m := rocketModule(t)
		killed := kill(t, w.ociChild(t.Context(), m), moment)
		mustRun(t, w.ociChild(t.Context(), m))
		checkPackages(t, m, m.cache)
		checkTidy(t, m.cache)
		return killed
	})
}

func TestPublishingSucceedsWhereItWasKilled(t *testing.T) {
	t.Parallel()
	w, network := slowOCI(t)
	purveyor := buildPurveyor(t)
	w.configure(t, w.srv.CLIConfig(hosts...)+ociCredentials(network.address)+ociCredentials(w.oci.address))
	push := func(t *testing.T, repository string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), purveyor, "push", "-to", network.address+"/"+repository, rocket)
		cmd.Dir, cmd.Env = t.TempDir(), w.ociEnv()
		return cmd
	}
	total := duration(t, push(t, "measured"))
	_, want := w.raw(t, "GET", "measured/manifests/1.0.0", 200)
	atRandom(t, total, func(t *testing.T, moment time.Duration) bool {
		repository := "killed-" + moment.String()
		killed := kill(t, push(t, repository), moment)
		mustRun(t, push(t, repository))
		if _, got := w.raw(t, "GET", repository+"/manifests/1.0.0", 200); got != want {
			t.Errorf("the index is %s, want %s", got, want)
		}
		return killed
	})
}

// Many processes that begin at once let one of them download a package.
func TestManyInstallFromOCIAtOnce(t *testing.T) {
	t.Parallel()
	w, network := slowOCI(t)
	size := w.publish(t, rocket, "1.0.0", here).Uploaded.Bytes
	first := w.module(t, files{"main.tf": requires(rocket)})
	w.useMirrors(t, first)
	lock, cache := first.lock(t), t.TempDir()
	w.forget(t)
	before := network.toClient.passed.Load()

	const processes = 10
	var modules []*module
	var wait sync.WaitGroup
	for range processes {
		m := w.module(t, files{"main.tf": requires(rocket), ".terraform.lock.hcl": lock}).sharing(cache)
		modules = append(modules, m)
		wait.Go(func() { mustRun(t, w.ociChild(t.Context(), m)) })
	}
	wait.Wait()
	for _, m := range modules {
		checkPackages(t, m, cache)
		if m.lock(t) != lock {
			t.Errorf("a lock file was changed to:\n%s", m.lock(t))
		}
	}
	checkTidy(t, cache)
	passed := network.toClient.passed.Load() - before
	t.Logf("%d processes: %d requests, %d bytes for an archive of %d", processes, len(w.oci.requests(t)), passed, size)
	if passed > size+size/2 {
		t.Errorf("%d bytes were sent for an archive of %d", passed, size)
	}
}
