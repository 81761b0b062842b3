//go:build linux || darwin

package installer_test

import (
	"runtime"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Memory does not grow with the size of a package: 600 MB are installed by a process that never has 100 MB.
func TestALargePackageNeedsLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("installs 600 MB")
	}
	if raceDetector {
		t.Skip("the race detector multiplies memory: run this test without it")
	}
	const size, limit = 600 << 20, 100 << 20
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: size})
	cmd := f.order(require("acme/alpha", "")).child(t)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "linux" {
		peak <<= 10 // counted in KiB there, in bytes on macOS
	}
	t.Logf("peak memory: %d MB", peak>>20)
	if peak > limit {
		t.Errorf("peak memory is %d MB, want at most %d MB", peak>>20, limit>>20)
	}
}
