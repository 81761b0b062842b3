package main

import (
	"os"
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
		t.Skip("not tested: only on Linux does SSL_CERT_FILE make a program trust the registry, and is memory measured alike")
	}
	path := filepath.Join(t.TempDir(), "bench")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

func TestMemoryDoesNotGrowWithThePackage(t *testing.T) {
	const size, limit = 400, 100 // MB; the archive has more than the limit, and this process less
	self := build(t)
	large := &scenario{offer: offer{Sets: sets(set{1, size * megabyte})}}
	registry, err := startRegistry(t.Context(), self, large.offer)
	if err != nil {
		t.Fatal(err)
	}
	defer registry.stop()
	got, err := large.once(t.Context(), self, registry, programs{self: self}.library())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", got)
	if got[memory] == 0 || got[memory] > limit {
		t.Errorf("installing a package of %d MB took %.0f MB of memory; the limit is %d MB", size, got[memory], limit)
	}
}

// TestEveryScenario runs all of them with so little to do that the figures say nothing.
func TestEveryScenario(t *testing.T) {
	t.Parallel()
	self := build(t)
	for _, s := range scenarios(self) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for i := range s.offer.Sets {
				s.offer.Sets[i] = set{2, megabyte}
			}
			s.runs = 1
			var out strings.Builder
			if err := s.run(t.Context(), self, &out); err != nil {
				t.Fatal(err)
			}
			for _, e := range s.entrants {
				if !strings.Contains(out.String(), e.name) {
					t.Errorf("%s is missing in:\n%s", e.name, &out)
				}
			}
			if !strings.Contains(out.String(), "2 × 1 MB") || !strings.Contains(out.String(), "wall s") {
				t.Errorf("got:\n%s", &out)
			}
		})
	}
}

// TestWarmInstallationsReadNothing is true of small packages, too, whatever the machine.
func TestWarmInstallationsReadNothing(t *testing.T) {
	t.Parallel()
	self := build(t)
	small := &scenario{offer: offer{Sets: sets(set{2, 10 * megabyte})}}
	registry, err := startRegistry(t.Context(), self, small.offer)
	if err != nil {
		t.Fatal(err)
	}
	defer registry.stop()
	for flags, want := range map[string]float64{"-records=records": 0.1, "-records=": 25} { // MB, at most
		clients := programs{self: self}.warm(flags)
		got, err := small.once(t.Context(), self, registry, clients[0])
		if err != nil {
			t.Fatal(err)
		}
		if got[requests] != 0 || got[read] == 0 || got[read] > want || want > 20 && got[read] < 20 {
			t.Errorf("%s: %+v", flags, got)
		}
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("not tested: what a process read is known on Linux alone")
	}
	const size = 3 * megabyte
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := measure(exec.CommandContext(t.Context(), "sh", "-c", "dd of=/dev/null if="+file))
	if err != nil {
		t.Fatal(err)
	}
	if got[wall] == 0 || got[memory] == 0 || got[read] < 3 || got[read] > 3.1 {
		t.Errorf("got %+v", got)
	}
	_, err = measure(exec.CommandContext(t.Context(), "sh", "-c", "echo why; exit 1"))
	if err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("error %v", err)
	}
}
