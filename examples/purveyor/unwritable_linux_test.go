package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// TestADirectoryThatCannotBeWrittenIn is said once, whatever was to be made there. Not even root makes files in /sys.
func TestADirectoryThatCannotBeWrittenIn(t *testing.T) {
	t.Parallel()
	if err := os.Mkdir("/sys/purveyor", 0o755); err == nil {
		os.Remove("/sys/purveyor")
		t.Skip("there is no directory that cannot be written in")
	}
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	for _, args := range [][]string{
		{"mirror", "-dir=/sys/purveyor", "-platform=linux_amd64"}, {"bundle", "export", "-o=/sys/purveyor.tar"}, {"install"},
	} {
		if args[0] == "install" {
			w.env = append(w.env, "TF_DATA_DIR=/sys/purveyor")
		}
		o := w.fails(t, args, exitFailed, "Error: cannot write in /sys: ")
		if strings.Count(o.err, "\n") != 1 {
			t.Errorf("purveyor %s says:\n%s", strings.Join(args, " "), o.err)
		}
	}
}

// asNobody runs the program as a process of a user that may do little; if the tests are such a user's, as that. The executable
// may be where that user cannot find it, but not for itself.
func (w *world) asNobody(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, append(w.env, asProgram+"=1"), &out, &err
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if startErr := cmd.Start(); startErr != nil {
		t.Skip("not tested, no process of another user can be started: ", startErr)
	}
	_ = cmd.Wait() // the exit status says it
	return outcome{code: cmd.ProcessState.ExitCode(), out: out.String(), err: err.String()}
}

// open lets everybody read the configuration and come to the module's directory.
func (w *world) open(t *testing.T) {
	t.Helper()
	err := os.Chmod(filepath.Dir(w.dir), 0o755) // the test's own
	for _, variable := range w.env {
		if path, ok := strings.CutPrefix(variable, "TF_CLI_CONFIG_FILE="); ok {
			err = errors.Join(err, os.Chmod(path, 0o644))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAnotherUsersDirectory cannot be written in: that is said once, and of the directory that people know.
func TestAnotherUsersDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	platform := "-platform=" + sources.CurrentPlatform().String()
	w.must(t, "mirror", "-dir=mirror", platform, rocket+"@1.4.0", "hashicorp/alpha")
	w.configure(t, "provider_installation {\n  filesystem_mirror {\n    path = \"mirror\"\n  }\n}\n")
	w.write(t, "main.tf", requires(rocket+" ~> 1.0", "hashicorp/alpha"))
	w.write(t, ".terraform/providers/x", "")
	w.open(t)
	dirs := []string{w.dir, filepath.Join(w.dir, ".terraform"), filepath.Join(w.dir, ".terraform", "providers")}
	for _, dir := range dirs {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	}
	w.env = append(w.env, "XDG_CACHE_HOME=/nonexistent", "TMPDIR=/tmp")
	for _, args := range [][]string{{"install"}, {"mirror", "-dir=new", platform, "-module=."}, {"bundle", "export", "-o=b.tar", platform}} {
		o := w.asNobody(t, args...)
		if o.code != exitFailed || o.err != "Error: cannot write in "+w.dir+": permission denied\n" {
			t.Errorf("purveyor %s: exit status %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
		}
	}
}

// TestWhatCannotBeRead is not said to be unwritable, though the directory that it is in cannot be written in either.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	for _, name := range []string{"plan.hcl", "lock.hcl", "bundle.tar", "tokens", "module/.terraform.lock.hcl", "mirror/x"} {
		w.write(t, name, "")
	}
	chmod := func(mode os.FileMode, names ...string) {
		for _, name := range names {
			if err := os.Chmod(filepath.Join(w.dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(0, "plan.hcl", "lock.hcl", "bundle.tar", "tokens", "module/.terraform.lock.hcl", "mirror")
	chmod(0o555, "module", ".")
	w.open(t)
	t.Cleanup(func() { chmod(0o755, ".", "module", "mirror") })
	for _, args := range [][]string{ // the last is what cannot be read
		{"mirror", "-dir=new", "-platform=linux_amd64", "-plan=plan.hcl"},
		{"mirror", "-dir=new", "-platform=linux_amd64", "-lock=lock.hcl"},
		{"cache", "prune", "-cache=module", "-older-than=1d", "-keep=lock.hcl"},
		{"serve", "-listen=127.0.0.1:0", "module", "-tokens=tokens"},
		{"bundle", "verify", "bundle.tar"},
		{"verify", "-chdir=module"},
		{"verify", "mirror"},
	} {
		last := args[len(args)-1]
		o := w.asNobody(t, args...)
		if o.code != exitFailed || !strings.Contains(o.err, last[strings.Index(last, "=")+1:]) || !strings.Contains(o.err, "permission denied") || strings.Contains(o.err, "cannot write") {
			t.Errorf("purveyor %s: exit status %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
		}
	}
}
