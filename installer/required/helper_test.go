package required_test

import (
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// unpack writes the files of an archive into a new directory.
func unpack(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for name, contents := range files(archive) {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), contents)
	}
	return dir
}

// files iterates over the files of an archive, each of which begins with a line "-- name --".
func files(archive string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var current string
		var contents strings.Builder
		for line := range strings.Lines(archive + "\n-- --\n") {
			name, ok := fileName(line)
			if !ok {
				contents.WriteString(line)
				continue
			}
			if current != "" && !yield(current, contents.String()) {
				return
			}
			current = name
			contents.Reset()
		}
	}
}

func fileName(line string) (string, bool) {
	name, begins := strings.CutPrefix(strings.TrimSpace(line), "--")
	name, ends := strings.CutSuffix(name, "--")
	return strings.TrimSpace(name), begins && ends
}

func write(t testing.TB, path string, contents string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(contents), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines returns one line "address constraints" for each requirement, sorted, without the host of the default registry.
func lines(requirements installer.Requirements) string {
	var b strings.Builder
	for _, p := range slices.SortedFunc(maps.Keys(requirements), sources.Provider.Compare) {
		b.WriteString(strings.TrimSpace(p.Display()+" "+requirements[p].String()) + "\n")
	}
	return b.String()
}
