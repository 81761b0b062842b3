package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// asWrapper makes the test binary the program itself.
const asWrapper = "WRAPPER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asWrapper) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const root = `terraform {
  required_providers {
    rocket = { source = "registry.example.com/acme/rocket", version = "~> 1.0" }
  }
}

module "child" {
  source = "./child"
}
`

const child = `terraform {
  required_providers {
    alpha = { source = "hashicorp/alpha" }
  }
}
`

func TestTheRealProgramNeedsNoRegistry(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"terraform", "tofu"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(program)
			if err != nil {
				t.Skipf("%s is not on PATH: nothing was run", program)
			}
			wrap(t, path)
		})
	}
}

func wrap(t *testing.T, program string) {
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.2.3"}, {Provider: "hashicorp/alpha", Version: "3.1.0"},
	}})
	dir := t.TempDir()
	for name, text := range map[string]string{"main.tf": root, "child/main.tf": child} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env, err := srv.Environ(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{program}, args...)...)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), env...), asWrapper+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := run("init", "-input=false", "-no-color"); !strings.Contains(out, "successfully initialized") || !strings.Contains(out, "acme/rocket 1.2.3 from") {
		t.Errorf("it said:\n%s", out)
	}
	for _, r := range srv.Requests() {
		if !strings.HasPrefix(r.UserAgent, "purveyor") {
			t.Errorf("%s asked for %s", r.UserAgent, r.Path)
		}
	}
	srv.ResetRequests()
	if out := run("providers", "-no-color"); !strings.Contains(out, "acme/rocket") || srv.Count("") != 0 {
		t.Errorf("%d requests, and it said:\n%s", srv.Count(""), out)
	}
	run("init", "-input=false", "-lockfile=readonly")
	if n := srv.Count(""); n != 0 {
		t.Errorf("a second init made %d requests", n)
	}
}
