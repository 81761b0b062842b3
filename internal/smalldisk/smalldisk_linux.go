package smalldisk

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// variable has the directory in the process that has the file system.
const variable = "PURVEYOR_TEST_SMALL_DISK"

// Run runs a test as a process of its own, in which a tmpfs with these options (tmpfs(5)) is mounted on dir, where nobody else
// sees it. Where the system does not allow that, the test is skipped. It must be the first thing that a test does.
func Run(t *testing.T, options string, test func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv(variable); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
			t.Skip("not tested, the system gives no file system to fill: ", err)
		}
		test(t, dir)
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+t.TempDir())
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
