package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A directory without configuration is most likely the wrong one: its lock file must not be emptied.
func TestADirectoryWithoutConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	w.must(t, "install")
	before := w.lock(t)
	if err := os.Remove(filepath.Join(w.dir, "main.tf")); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"install", "lock"} {
		w.fails(t, []string{command}, exitFailed, "there is no configuration in")
	}
	if w.lock(t) != before {
		t.Error("the lock file has changed")
	}
}

// full is a device without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A script that waits for the path of the executable must learn that it did not come.
func TestAnOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	p := &program{
		env:    cliconfig.Environment{Variables: w.env, WorkingDir: w.dir},
		stdout: full{},
		stderr: io.Discard,
		client: w.srv.Client(),
	}
	if code := p.run(context.Background(), []string{"install", rocket}); code != exitFailed {
		t.Errorf("exit status %d", code)
	}
}
