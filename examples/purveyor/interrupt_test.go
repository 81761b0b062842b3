package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// watcher calls seen as soon as what is written contains the text.
type watcher struct {
	bytes.Buffer
	text string
	seen func()
}

func (w *watcher) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.text)) {
		w.seen()
	}
	return w.Buffer.Write(p)
}

func stalling(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, registrytest.Config{
		Faults: []registrytest.Fault{{Kind: registrytest.KindArchive, Provider: "acme/rocket", StallAt: 1}},
	})
	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	return w
}

// TestInterruptKeepsWhatIsFinished: the interrupt comes when one of two providers is installed and the other stalls.
func TestInterruptKeepsWhatIsFinished(t *testing.T) {
	t.Parallel()
	w := stalling(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, err := &watcher{text: `"event":"installed"`, seen: interrupt}, &bytes.Buffer{}
	p := &program{env: cliconfig.Environment{Variables: w.env, WorkingDir: w.dir}, stdout: out, stderr: err, client: w.srv.Client()}
	if code := p.run(ctx, []string{"install", "-json"}); code != exitInterrupted || err.Len() > 0 {
		t.Errorf("exit status %d\n%s", code, err)
	}
	if !strings.Contains(out.String(), `{"event":"interrupted","message":"1 provider is finished and kept"}`) || strings.Contains(out.String(), `"error"`) {
		t.Errorf("standard output is:\n%s", out)
	}
	if lock := w.lock(t); !strings.Contains(lock, "hashicorp/alpha") || strings.Contains(lock, "acme/rocket") {
		t.Errorf("the lock file is:\n%s", lock)
	}
	w.srv.ClearFaults()
	w.must(t, "install")
}

// TestAnInterruptedMirrorKeepsWhatIsPublished: what is reported as added is not "nothing". The interrupt comes when one of two
// providers is published and the other stalls.
func TestAnInterruptedMirrorKeepsWhatIsPublished(t *testing.T) {
	t.Parallel()
	w := stalling(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	index := filepath.Join(w.dir, "mirror", "registry.opentofu.org", "hashicorp", "alpha", "index.json")
	go func() {
		for _, err := os.Stat(index); err != nil && ctx.Err() == nil; _, err = os.Stat(index) {
			time.Sleep(5 * time.Millisecond)
		}
		interrupt()
	}()
	o := w.runContext(ctx, "mirror", "-json", "-dir=mirror", "-platform=linux_amd64")
	all := records(t, o.out)
	if said := all[max(len(all)-2, 0)]; o.code != exitInterrupted || said.Event != "interrupted" || said.Message != "1 package is finished and kept" {
		t.Errorf("exit status %d:\n%s", o.code, o.out)
	}
}

func TestInterruptBeforeTheBeginning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, command := range []string{"install", "versions", "explain"} {
		o := w.runContext(ctx, command, rocket)
		if o.code != exitInterrupted || o.err != "Interrupted: nothing was finished\n" {
			t.Errorf("%s: exit status %d\n%s%s", command, o.code, o.out, o.err)
		}
	}
}

// TestInterruptSignal sends a real process what Ctrl-C sends.
func TestInterruptSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the process trusts the server through SSL_CERT_FILE, which is for Linux")
	}
	w := stalling(t)
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], "install")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, append(w.env, asProgram+"=1"), &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for w.srv.Count(registrytest.KindArchive) < 2 && t.Context().Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit status says it
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(out.String(), "Interrupted: ") {
		t.Errorf("exit status %d\n%s", code, out.String())
	}
}
