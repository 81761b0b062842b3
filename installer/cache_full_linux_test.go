package installer_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
)

// A full disk is the reason to prune, so pruning must not need room there.
func TestPruneOfAFullDisk(t *testing.T) {
	if dir := os.Getenv("PURVEYOR_TEST_FULL_DISK"); dir != "" {
		pruneFullDisk(t, dir)
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "PURVEYOR_TEST_FULL_DISK="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Errorf("%v: %s", err, out)
	case err != nil:
		t.Skip("not tested, the system gives no file system to fill: ", err)
	default:
		t.Logf("%s", out)
	}
}

// pruneFullDisk mounts a file system of few files on dir, where only this process sees it.
func pruneFullDisk(t *testing.T, dir string) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "nr_inodes=64"); err != nil {
		t.Skip("not tested, the system gives no file system to fill: ", err)
	}
	s := stock{t, dir}
	path := s.put("acme/alpha", "1.0.0", 100, 30*day)
	if err := os.WriteFile(path+".lock", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.age(path+".lock", 30*day)
	var full error
	for i := 0; full == nil; i++ {
		full = os.Mkdir(filepath.Join(dir, string(rune('a'+i))), 0o755)
	}
	if !errors.Is(full, syscall.ENOSPC) {
		t.Fatal(full)
	}
	pruned, err := s.cache().Prune(t.Context(), installer.CachePrune{OlderThan: day})
	if err != nil || len(pruned.Removed) != 1 || isThere(path) {
		t.Errorf("result is %+v, %v", pruned, err)
	}
	s.wantNoLeftovers()
}
