package interop_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// released is this module as though it had been released.
var released = gomodule.Version{Path: "github.com/purveyor-dev/purveyor", Version: "v0.1.0"}

// A new module that does what the README says to get the library can build the README's program, and nothing is missing.
func TestGoGet(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir, root := t.TempDir(), filepath.Join("..", "..")
	program, err := os.ReadFile(filepath.Join(root, "examples", "minimal", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(),
		"GOPROXY=file://"+proxyOf(t, root)+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")+","+goEnv(t, "GOPROXY"),
		"GOMODCACHE="+t.TempDir(), "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOWORK=off")
	for _, command := range [][]string{{"go", "mod", "init", "example.com/app"}, goGet(t, root), {"go", "build", "-o", os.DevNull, "."}} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
}

// goGet returns the README's command, without its comment.
func goGet(t *testing.T, root string) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(readme)) {
		command, _, _ := strings.Cut(line, "#")
		if words := strings.Fields(command); len(words) > 2 && words[0] == "go" && words[1] == "get" {
			return words
		}
	}
	t.Fatal("the README has no go get")
	return nil
}

// proxyOf makes a module proxy that has the working tree as a release, and nothing else:
// https://go.dev/ref/mod#goproxy-protocol.
func proxyOf(t *testing.T, root string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	base := filepath.Join(dir, filepath.FromSlash(released.Path), "@v")
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, fill func(io.Writer) error) {
		f, err := os.Create(filepath.Join(base, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := fill(f); err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	write("list", text(released.Version+"\n"))
	write(released.Version+".info", text(`{"Version":"`+released.Version+`","Time":"2026-01-01T00:00:00Z"}`))
	write(released.Version+".mod", text(string(gomod)))
	write(released.Version+".zip", func(w io.Writer) error { return zip.CreateFromDir(w, released, root) })
	return dir
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
