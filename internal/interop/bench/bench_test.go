package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// build builds this program without the race detector, whatever the test is built with.
func build(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("not tested: only on Linux can a program be told by SSL_CERT_FILE to trust the registry and its memory be measured alike")
	}
	path := filepath.Join(t.TempDir(), "bench")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

func TestMemoryDoesNotGrowWithThePackage(t *testing.T) {
	const limit = 100e6 // bytes, of a process that installs 600 MB
	self := build(t)
	registry, err := startRegistry(t.Context(), self, 1, 600)
	if err != nil {
		t.Fatal(err)
	}
	defer registry.stop()
	module, err := newModule(registry, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer module.remove()
	samples, err := module.measure(t.Context(), ours(self), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", samples[0])
	if rss := samples[0].rss; rss == 0 || rss > limit {
		t.Errorf("installing a package of 600 MB took %d MB of memory; the limit is %d MB", rss/1e6, int64(limit/1e6))
	}
}

func TestBenchmarkPrintsATable(t *testing.T) {
	t.Parallel()
	self := build(t)
	var out strings.Builder
	b := benchmark{count: 2, size: 1, runs: 1, warm: true}
	if err := b.run(t.Context(), self, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 × 1 MB", "cold", "again", "wall s", "requests", library} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, &out)
		}
	}
}
