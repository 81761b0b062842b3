package installer_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// What is about to be replaced is read only to tell somebody whether it was damaged, and a copy that is right is not made
// again. It counts what the process reads and writes, so nothing may run beside it.
func TestWhatIsReplacedIsNotReadForNobody(t *testing.T) {
	const size, slack = 16 << 20, 4 << 20
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: size})
	req := require("acme/alpha", "")
	locks := f.install(req).Locks
	account := func(dir string, link installer.Link, listens bool, locks installer.Locks) (read, written int64) {
		t.Helper()
		in := f.installer(dir, f.in.CacheDir)
		if in.Link = link; listens {
			in.Notify = func(installer.Event) {}
		}
		readBefore, writtenBefore := traffic(t)
		if _, err := in.Install(t.Context(), installer.Request{Requirements: req.Requirements, Locks: locks}); err != nil {
			t.Fatal(err)
		}
		read, written = traffic(t)
		return read - readBefore, written - writtenBefore
	}

	base, _ := account(t.TempDir(), installer.LinkSymlink, true, nil) // nothing is replaced
	for listens, want := range map[bool]int64{false: base, true: base + size} {
		dir := t.TempDir()
		account(dir, installer.LinkCopy, false, nil)
		if read, _ := account(dir, installer.LinkSymlink, listens, nil); read < want-slack || read > want+slack {
			t.Errorf("listened to %v: replacing reads %d bytes, want %d", listens, read, want)
		}
	}

	dir := t.TempDir()
	_, first := account(dir, installer.LinkCopy, false, nil)
	if _, again := account(dir, installer.LinkCopy, false, nil); again > first-size+slack {
		t.Errorf("to copy writes %d bytes, to have copied %d", first, again)
	}
	if read, _ := account(dir, installer.LinkCopy, false, locks); read < size || read > size+slack {
		t.Errorf("a package that is there is read %d bytes of %d: this test counts wrongly", read, size)
	}
}

// traffic returns how many bytes this process has read and written by system calls.
func traffic(t *testing.T) (read, written int64) {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(data), "rchar: %d\nwchar: %d", &read, &written); err != nil {
		t.Fatal(err)
	}
	return read, written
}
