package bundle_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// The path of a bundle, and that of an archive, for a process that is to be killed.
const (
	pathVariable    = "PURVEYOR_TEST_BUNDLE"
	archiveVariable = "PURVEYOR_TEST_ARCHIVE"
	sumVariable     = "PURVEYOR_TEST_SUM"
)

// TestMain makes the test binary a program that fills bundles until it is killed, when it is told to.
func TestMain(m *testing.M) {
	if path := os.Getenv(pathVariable); path != "" {
		fmt.Fprintln(os.Stderr, fillForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fillForever tells of each step.
func fillForever(path string) error {
	sum, err := hashing.ParseHash(os.Getenv(sumVariable))
	if err != nil {
		return err
	}
	r := sources.Release{Provider: rocket, Version: v1, Archives: []sources.Archive{{Platform: linux, Path: os.Getenv(archiveVariable), Sum: sum}}}
	for {
		w, err := bundle.Create(path)
		if err != nil {
			return err
		}
		fmt.Println("created")
		if _, err := w.Push(context.Background(), r); err != nil {
			return err
		}
		fmt.Println("pushed")
		if err := w.Commit(context.Background()); err != nil {
			return err
		}
		fmt.Println("committed")
	}
}

// Wherever a process is killed, there is no bundle or a whole one, and the next process clears away what was left.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	archive := large(t, 4<<20)
	leftovers := 0
	for steps := range 8 {
		dir := t.TempDir()
		path := filepath.Join(dir, "providers.tar")
		kill(t, path, archive, steps)
		left, _ := filepath.Glob(filepath.Join(dir, ".providers.tar.purveyor-*"))
		leftovers += len(left)
		switch b, err := bundle.Open(path); {
		case err == nil:
			if _, err := b.Verify(t.Context(), bundle.VerifyOptions{}); err != nil {
				t.Errorf("after %d steps: %v", steps, err)
			}
			_ = b.Close()
		case !errors.Is(err, fs.ErrNotExist) || steps > 3:
			t.Errorf("after %d steps: %v", steps, err)
		}
		w := create(t, path)
		push(t, w, released(t, rocket, v1, nil, archive))
		commit(t, w)
		if names := list(t, dir); !slices.Equal(names, []string{"providers.tar"}) {
			t.Errorf("after %d steps, in the end there is %q", steps, names)
		}
	}
	if leftovers == 0 {
		t.Error("no process was killed in the middle of its work")
	}
}

// kill starts a process that fills bundles, and kills it after some steps: at the beginning of the next.
func kill(t *testing.T, path string, archive sources.Archive, steps int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), pathVariable+"="+path, archiveVariable+"="+archive.Path, sumVariable+"="+string(archive.Sum))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); steps >= 0 && lines.Scan(); {
		steps--
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() == 1 {
		t.Errorf("the process ended by itself: %v", err)
	}
}

// Two bundles for one path do not disturb each other: the one that is committed last is there in the end.
func TestTwoWritersOfOnePath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "providers.tar")
	first, second := create(t, path), create(t, path)
	push(t, first, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	push(t, second, released(t, omega, v1, nil, packed(t, linux, "linux")))
	commit(t, second)
	commit(t, first)
	if items, err := open(t, path).Contents(t.Context()); err != nil || len(items) != 1 || items[0].Provider != rocket {
		t.Errorf("there is %+v, %v", items, err)
	}
}
