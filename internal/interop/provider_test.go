package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const note = `resource "echo_note" "it" {
  text = "hear, hear"
}

output "loud" {
  value = echo_note.it.loud
}
`

func TestClientsStartTheProviderThatWeInstalled(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{
			{Provider: "acme/echo", Version: "1.0.0", Executable: buildProvider(t)},
		}})
		m := w.module(t, files{
			"main.tf": requires("registry.example.com/acme/echo") + note,
		}).sharing(t.TempDir())
		m.install(t)
		unchanged(t, m, func() {
			withoutDownloads(t, w, func() { m.run(t, "init") })
		})

		m.run(t, "validate")
		m.run(t, "apply", "-auto-approve")
		if loud := strings.TrimSpace(m.run(t, "output", "-raw", "loud")); loud != "HEAR, HEAR" {
			t.Errorf("the output is %q", loud)
		}
		if output := m.run(t, "destroy", "-auto-approve"); !strings.Contains(output, "1 destroyed") {
			t.Errorf("destroy says:\n%s", output)
		}
	})
}

// buildProvider returns the executable of the provider in this module.
func buildProvider(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "terraform-provider-echo")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./provider")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	executable, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return executable
}
