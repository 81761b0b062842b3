package interop_test

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
)

// module is a directory with a configuration, in a world.
type module struct {
	*world
	dir   string
	cache string // the shared plugin cache; "" means none
}

// files are the contents of files by their slash-separated names.
type files map[string]string

func (w *world) module(t *testing.T, contents files) *module {
	t.Helper()
	m := &module{world: w, dir: t.TempDir()}
	m.write(t, contents)
	return m
}

// sharing makes the module use a plugin cache.
func (m *module) sharing(cache string) *module {
	m.cache = cache
	return m
}

func (m *module) write(t *testing.T, contents files) {
	t.Helper()
	for name, content := range contents {
		path := filepath.Join(m.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// requires is a configuration that requires providers, each as "source" or "source constraint".
func requires(providers ...string) string {
	var text strings.Builder
	text.WriteString("terraform {\n  required_providers {\n")
	for _, p := range providers {
		source, constraint, _ := strings.Cut(p, " ")
		text.WriteString("    " + strings.ToLower(path.Base(source)) + " = {\n      source = \"" + source + "\"\n")
		if constraint != "" {
			text.WriteString("      version = \"" + constraint + "\"\n")
		}
		text.WriteString("    }\n")
	}
	text.WriteString("  }\n}\n")
	return text.String()
}

// command is the real client, to be started in the module.
func (m *module) command(ctx context.Context, args ...string) *exec.Cmd {
	return m.prepare(exec.CommandContext(ctx, m.cli.path, args...))
}

// child is client.Main in a process of its own.
func (m *module) child(ctx context.Context) *exec.Cmd {
	args := append(m.flags(), "-cache", m.cache)
	cmd := m.prepare(exec.CommandContext(ctx, os.Args[0], args...))
	cmd.Env = append(cmd.Env, childVariable+"=1")
	return cmd
}

func (m *module) prepare(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir, cmd.Env = m.dir, slices.Clone(m.env)
	if m.cache != "" {
		cmd.Env = append(cmd.Env, "TF_PLUGIN_CACHE_DIR="+m.cache)
	}
	return cmd
}

// try runs the real client and returns what it printed.
func (m *module) try(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	output, err := m.command(ctx, append(args, "-no-color")...).CombinedOutput()
	return string(output), err
}

// run is try for what must succeed.
func (m *module) run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := m.try(t.Context(), args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", m.cli.name, strings.Join(args, " "), err, output)
	}
	return output
}

// install lets the library do what init does.
func (m *module) install(t *testing.T) *installer.Result {
	t.Helper()
	result, err := m.init(m).Run(t.Context())
	if err != nil {
		t.Fatalf("our init: %v", err)
	}
	return result
}

// upgrade lets the library do what init -upgrade does.
func (m *module) upgrade(t *testing.T) {
	t.Helper()
	init := m.init(m)
	init.Upgrade = true
	if _, err := init.Run(t.Context()); err != nil {
		t.Fatalf("our init -upgrade: %v", err)
	}
}

func (m *module) lockFile() string { return filepath.Join(m.dir, lockfile.Name) }

// lock returns the lock file.
func (m *module) lock(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(m.lockFile())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// locked returns the lock file without its header, two lines of comment.
func (m *module) locked(t *testing.T) string {
	t.Helper()
	lines := strings.SplitAfterN(m.lock(t), "\n", 3)
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "# ") || !strings.HasPrefix(lines[1], "# ") {
		t.Fatalf("the lock file does not begin with two lines of comment:\n%s", m.lock(t))
	}
	return lines[2]
}

// locks returns what the lock file says.
func (m *module) locks(t *testing.T) installer.Locks {
	t.Helper()
	locks, err := lockfile.Read(m.lockFile())
	if err != nil {
		t.Fatal(err)
	}
	return locks
}
