package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// corpusReleases are what the modules of the corpus can have.
func corpusReleases() []registrytest.Release {
	all := releases("hashicorp/alpha", "1.0.0", "1.1.0", "2.0.0")
	all = append(all, releases("hashicorp/beta", "0.4.1", "0.4.2")...)
	all = append(all, releases("acme/rocket", "1.0.0", "1.2.0", "1.9.3", "2.0.0", "2.1.0-beta1")...)
	return append(all, releases("acme/sled", "1.0.0", "1.5.0")...)
}

// For each module directory of the corpus, the program writes the lock file that the real client writes, or fails where
// that fails.
func TestProgramOnTheCorpus(t *testing.T) {
	modules, err := filepath.Glob(filepath.Join("testdata", "modules", "*.txtar"))
	if err != nil || len(modules) < 30 {
		t.Fatalf("%d modules, %v", len(modules), err)
	}
	withEach(t, func(t *testing.T, c cli) {
		program := buildPurveyor(t)
		w := newWorld(t, c, registrytest.Config{Releases: corpusReleases()})
		for _, path := range modules {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
				t.Parallel()
				archive, err := txtar.ParseFile(path)
				if err != nil {
					t.Fatal(err)
				}
				contents := files{}
				for _, f := range archive.Files {
					contents[f.Name] = string(f.Data)
				}
				theirs, ours := w.module(t, contents), w.module(t, contents)
				said, theirErr := theirs.try(t.Context(), "init", "-input=false")
				install := ours.prepare(exec.CommandContext(t.Context(), program, "install", "-registry="+c.registry.String()))
				answered, ourErr := install.CombinedOutput()
				if (theirErr == nil) != (ourErr == nil) {
					t.Fatalf("%s: %v\n%s\npurveyor: %v\n%s", c.name, theirErr, said, ourErr, answered)
				}
				if diff := cmp.Diff(locksIn(t, theirs), locksIn(t, ours)); diff != "" {
					t.Errorf("the lock file differs (-%s +ours):\n%s", c.name, diff)
				}
			})
		}
	})
}

// locksIn returns the lock file below its header; "" if there is none.
func locksIn(t *testing.T, m *module) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(m.dir, lockfile.Name)); os.IsNotExist(err) {
		return ""
	}
	return m.locked(t)
}
