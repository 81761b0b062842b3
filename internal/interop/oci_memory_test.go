package interop_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Memory does not grow with the size of a package, neither of those who publish it nor of those who install it. The
// processes measured are of the program that people use, without the race detector, which would multiply their memory.
func TestLargePackagesInOCINeedLittleMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("not tested: memory is read from /proc")
	}
	const size, limit = 200 << 20, 60 << 20
	w := newOCIWorld(t, registrytest.Config{})
	purveyor := buildPurveyor(t)
	run := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), purveyor, args...)
		cmd.Dir, cmd.Env = t.TempDir(), w.ociEnv()
		return cmd
	}
	push := peakMemory(t, run("push", "-from", largeMirror(t, size), "-to", w.oci.address+"/mirror/${namespace}/${type}", rocket))
	install := run("install", rocket)
	for what, peak := range map[string]int64{"publishing": push, "installing": peakMemory(t, install)} {
		t.Logf("%s needs %d MB", what, peak>>20)
		if peak > limit {
			t.Errorf("%s needs %d MB, want at most %d MB", what, peak>>20, limit>>20)
		}
	}
	executable := filepath.Join(install.Dir, ".terraform", "providers", "registry.example.com", "acme", "rocket", "1.0.0", here, "terraform-provider-rocket_v1.0.0")
	if info, err := os.Stat(executable); err != nil || info.Size() != size {
		t.Errorf("the executable is not complete: %v", err)
	}
}

// largeMirror is a directory with a package of a size.
func largeMirror(t *testing.T, size int64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	place := filepath.Join(dir, "registry.example.com", "acme", "rocket")
	if err := os.MkdirAll(place, 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(place, "terraform-provider-rocket_1.0.0_"+here+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeArchive(file, size, "large"), file.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// peakMemory runs a program and returns the most memory that it had, in bytes. What the kernel reports of a process that
// has ended includes the memory of the one that started it; so this looks while it runs.
func peakMemory(t *testing.T, cmd *exec.Cmd) (peak int64) {
	t.Helper()
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil || peak == 0 {
				t.Fatalf("%v, %d bytes\n%s", err, peak, output.String())
			}
			return peak
		case <-look.C:
			peak = max(peak, mostMemory(cmd.Process.Pid))
		}
	}
}

// mostMemory returns the most memory that a process had so far, in bytes; 0 if it has ended.
func mostMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return 0 // it has no memory any more
	}
	return kilobytes << 10
}
