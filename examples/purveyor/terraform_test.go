package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// terraform runs the real one in the module's directory.
func (w *world) terraform(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("terraform is not on PATH")
	}
	cmd := exec.CommandContext(t.Context(), path, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.dir, append(w.env, "TF_IN_AUTOMATION=1")
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// TestTerraformsModule: its lock file stays as it is, and it finds everything installed.
func TestTerraformsModule(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{false, true} {
		t.Run(map[bool]string{false: "without a cache", true: "with a cache"}[cached], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, registrytest.Config{})
			if cached {
				w.cache(t)
			}
			w.write(t, "main.tf", requires(rocket+" ~> 1.0", "hashicorp/alpha"))
			w.terraform(t, "init", "-input=false")
			before := w.lock(t)
			w.fresh(t)
			if o := w.must(t, "install", "-lockfile=readonly"); !strings.Contains(o.out, "registry.terraform.io/hashicorp/alpha 3.1.0") {
				t.Errorf("it said:\n%s%s", o.out, o.err)
			}
			if cached && w.srv.Count("") != 0 {
				t.Errorf("there were %d requests, although terraform's cache and lock file agree", w.srv.Count(""))
			}
			w.srv.ResetRequests()
			output := w.terraform(t, "init", "-input=false")
			if n := w.srv.Count(registrytest.KindArchive); n != 0 || strings.Count(output, "Using previously-installed") != 2 {
				t.Errorf("%d requests for archives\n%s", n, output)
			}
			if w.lock(t) != before {
				t.Errorf("the lock file was\n%s\nand is\n%s", before, w.lock(t))
			}
		})
	}
}

// TestTerraformAcceptsOurModule: what we install and lock first, terraform uses, and changes nothing.
func TestTerraformAcceptsOurModule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket+" ~> 1.0", "hashicorp/alpha"))
	w.must(t, "install", "-registry=registry.terraform.io")
	before := w.lock(t)
	w.srv.ResetRequests()
	w.terraform(t, "init", "-input=false", "-lockfile=readonly")
	if n := w.srv.Count(registrytest.KindArchive); n != 0 || w.lock(t) != before {
		t.Errorf("%d requests for archives, and the lock file is\n%s", n, w.lock(t))
	}
}
