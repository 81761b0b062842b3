//go:build unix

package filelock_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// setPOSIX takes the kind of lock that existing clients take: for writing, on the whole file, not waiting.
func setPOSIX(t *testing.T, path string) (*os.File, error) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	return f, unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart})
}

// TestHelperHoldPOSIX holds a POSIX lock until its input ends.
func TestHelperHoldPOSIX(t *testing.T) {
	f, err := setPOSIX(t, childPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Println("\nlocked")
	io.Copy(io.Discard, os.Stdin)
}

// TestHelperTryPOSIX says whether a POSIX lock is free.
func TestHelperTryPOSIX(t *testing.T) {
	f, err := setPOSIX(t, childPath(t))
	f.Close()
	fmt.Printf("\nfree %v\n", err == nil)
}

func TestAPOSIXLockExcludesUs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	c := start(t, "TestHelperHoldPOSIX", path)
	c.expect(t, "locked")
	if isFree(t, path) {
		t.Error("locked beside a POSIX lock")
	}
	c.finish(t)
	if !isFree(t, path) {
		t.Error("still locked")
	}
}

func TestWeExcludeAPOSIXLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held := mustLock(t, path)
	c := start(t, "TestHelperTryPOSIX", path)
	c.expect(t, "free false")
	c.finish(t)
	mustUnlock(t, held)
	c = start(t, "TestHelperTryPOSIX", path)
	c.expect(t, "free true")
	c.finish(t)
}
