package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// withoutNetwork runs the program as a process in a network namespace of its own, which has no interface that is up.
func (w *world) withoutNetwork(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, append(w.env, asProgram+"=1"), &out, &err
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
	}
	if startErr := cmd.Start(); startErr != nil {
		t.Skip("not tested, the system makes no network namespace: ", startErr)
	}
	_ = cmd.Wait() // the exit status says it
	return outcome{code: cmd.ProcessState.ExitCode(), out: out.String(), err: err.String()}
}

// An air-gapped workstation: what comes in is a bundle and the author's fingerprint.
func TestAWorkstationWithoutANetwork(t *testing.T) {
	t.Parallel()
	signer, err := registrytest.NewSigner("author", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, registrytest.Config{Signer: signer})
	w.must(t, "bundle", "export", "-o=providers.tar", rocket+"@~> 1.0", "hashicorp/alpha")
	if o := w.withoutNetwork(t, "install", rocket); o.code != exitFailed {
		t.Fatalf("there is a network: exit status %d\n%s%s", o.code, o.out, o.err)
	}
	w.configure(t, "provider_installation {\n  filesystem_mirror {\n    path = \"mirror\"\n  }\n}\n")
	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	for _, args := range [][]string{
		{"bundle", "verify", "-signer=" + signer.Fingerprint(), "providers.tar"},
		{"bundle", "import", "-dir=mirror", "-signer=" + signer.Fingerprint(), "providers.tar"},
		{"verify", "-signer=" + signer.Fingerprint(), "mirror"},
		{"install"},
	} {
		o := w.withoutNetwork(t, args...)
		signed := strings.Count(o.out, "signed by author") + strings.Count(o.out, "signed by "+signer.Fingerprint())
		if o.code != exitDone || signed != 2 {
			t.Errorf("purveyor %s: exit status %d, %d signed\n%s%s", strings.Join(args, " "), o.code, signed, o.out, o.err)
		}
	}
}
