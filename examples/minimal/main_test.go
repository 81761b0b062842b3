package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// asProgram makes the test binary the program itself.
const asProgram = "MINIMAL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestItInstalls(t *testing.T) {
	t.Parallel()
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "hashicorp/random", Version: "3.6.2"}}})
	env, err := srv.Environ(t.TempDir(), "registry.opentofu.org")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir, cmd.Env = t.TempDir(), append(append(os.Environ(), env...), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	path := strings.TrimSpace(string(out))
	if err != nil || !strings.Contains(filepath.ToSlash(path), "providers/registry.opentofu.org/hashicorp/random/3.6.2/") {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%s: %v", path, err)
	}
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The code in the README is code that is compiled: of this program, or of an example.
func TestTheREADMEsCodeIsCompiled(t *testing.T) {
	t.Parallel()
	readme := read(t, "../../README.md")
	var compiled strings.Builder
	for _, path := range []string{"main.go", "snippets_test.go"} {
		compiled.WriteString(unindented(read(t, path)))
	}
	blocks := goBlock.FindAllStringSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no code")
	}
	for _, block := range blocks {
		if !strings.Contains(compiled.String(), unindented(block[1])) {
			t.Errorf("nothing that is compiled has this code of the README:\n%s", block[1])
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unindented returns a text without the indentation of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t "))
	}
	return b.String()
}
