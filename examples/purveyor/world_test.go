package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// asProgram makes the test binary the program itself.
const asProgram = "PURVEYOR_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// world is a registry, and a module's directory whose only configuration leads there.
type world struct {
	srv    *registrytest.Server
	dir    string
	env    []string
	client bool // the server's certificates are trusted
}

// releases that most tests need.
var releases = []registrytest.Release{
	{Provider: "acme/rocket", Version: "1.0.0"},
	{Provider: "acme/rocket", Version: "1.4.0", Platforms: []string{"linux_amd64", "linux_arm64", "darwin_arm64", "windows_amd64"}},
	{Provider: "acme/rocket", Version: "2.0.0-beta1"},
	{Provider: "hashicorp/alpha", Version: "3.1.0"},
}

func newWorld(t *testing.T, cfg registrytest.Config) *world {
	t.Helper()
	if cfg.Releases == nil {
		cfg.Releases = releases
	}
	w := &world{srv: registrytest.New(t, cfg), dir: t.TempDir(), client: true}
	w.configure(t, w.srv.CLIConfig())
	return w
}

// configure makes a text the CLI configuration.
func (w *world) configure(t *testing.T, text string) {
	t.Helper()
	home := t.TempDir()
	env, err := w.srv.EnvironConfig(home, text)
	if err != nil {
		t.Fatal(err)
	}
	w.env = append(env, "HOME="+home, "PATH="+tools(t, "tofu")+string(filepath.ListSeparator)+os.Getenv("PATH"), "TMPDIR="+home)
}

// tools makes a directory with programs that are there, and do nothing.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// through makes installation methods the configuration.
func (w *world) through(t *testing.T, methods ...registrytest.Method) {
	t.Helper()
	w.configure(t, w.srv.CLIConfig()+w.srv.InstallationConfig(methods...))
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *world) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (w *world) lock(t *testing.T) string { t.Helper(); return w.read(t, lockfile.Name) }

// cache makes a plugin cache and names it.
func (w *world) cache(t *testing.T) {
	t.Helper()
	w.env = append(w.env, "TF_PLUGIN_CACHE_DIR="+t.TempDir())
}

// outcome is what one run of the program came to.
type outcome struct {
	code     int
	out, err string
}

func (w *world) environment() cliconfig.Environment {
	return cliconfig.Environment{Variables: w.env, WorkingDir: w.dir}
}

func (w *world) runContext(ctx context.Context, args ...string) outcome {
	var out, err bytes.Buffer
	p := &program{env: w.environment(), stdout: &out, stderr: &err}
	if w.client {
		p.client = w.srv.Client()
	}
	code := p.run(ctx, args)
	return outcome{code: code, out: out.String(), err: err.String()}
}

// run runs the program in the module's directory.
func (w *world) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return w.runContext(t.Context(), args...)
}

// must is run for what must succeed.
func (w *world) must(t *testing.T, args ...string) outcome {
	t.Helper()
	o := w.run(t, args...)
	if o.code != exitDone {
		t.Fatalf("purveyor %s: exit status %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o
}

// fails is run for what must fail; the standard error must contain the texts.
func (w *world) fails(t *testing.T, args []string, code int, texts ...string) outcome {
	t.Helper()
	o := w.run(t, args...)
	if o.code != code {
		t.Errorf("purveyor %s: exit status %d, want %d", strings.Join(args, " "), o.code, code)
	}
	for _, text := range texts {
		if !strings.Contains(o.err, text) {
			t.Errorf("nothing about %q in:\n%s%s", text, o.out, o.err)
		}
	}
	return o
}

// process runs the program as a process of its own.
func (w *world) process(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, append(w.env, asProgram+"=1"), &out, &err
	_ = cmd.Run() // the exit status says it
	return outcome{code: cmd.ProcessState.ExitCode(), out: out.String(), err: err.String()}
}

// requires is a configuration that requires providers, each as "source" or "source constraint".
func requires(providers ...string) string {
	var text strings.Builder
	text.WriteString("terraform {\n  required_providers {\n")
	for _, p := range providers {
		source, constraint, _ := strings.Cut(p, " ")
		name := strings.NewReplacer("/", "-", ".", "-").Replace(source)
		if constraint == "" {
			constraint = ">= 0.1"
		}
		fmt.Fprintf(&text, "    %s = {\n      source  = %q\n      version = %q\n    }\n", name, source, constraint)
	}
	text.WriteString("  }\n}\n")
	return text.String()
}

const rocket = "registry.example.com/acme/rocket"
