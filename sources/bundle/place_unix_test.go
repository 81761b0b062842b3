//go:build unix

package bundle_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// Opening a pipe would wait for somebody to write to it, and a bundle in the place of a device would end that.
func TestPipes(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := bundle.Open(pipe)
	wantFileError(t, "Open", err, bundle.ErrNotRegular)
	if w, err := bundle.Create(pipe); !errors.Is(err, bundle.ErrNotRegular) {
		t.Errorf("Create: %v", errors.Join(err, w.Close()))
	}
}

// A bundle that is there is a success, whatever becomes of the scratch.
func TestCommitWhereTheScratchStays(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root can remove everything")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "providers.tar")
	w := create(t, path)
	push(t, w, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	scratches, err := filepath.Glob(filepath.Join(dir, ".providers.tar.purveyor-*"))
	if err != nil || len(scratches) != 1 {
		t.Fatalf("there is %q, %v", scratches, err)
	}
	locked := filepath.Join(scratches[0], "locked")
	if err := errors.Join(os.MkdirAll(filepath.Join(locked, "x"), 0o700), os.Chmod(locked, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
	if err := w.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	open(t, path)
	if names := list(t, dir); !slices.Contains(names, filepath.Base(scratches[0])) {
		t.Errorf("the scratch was removed: there is %q", names)
	}
}

// Where nobody may write, nothing is begun, and what is there can be read.
func TestDirectoriesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root can write everywhere")
	}
	path := bundled(t, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
	if w, err := bundle.Create(path); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Create: %v", errors.Join(err, w.Close()))
	}
	if _, err := open(t, path).Verify(t.Context(), bundle.VerifyOptions{}); err != nil {
		t.Error(err)
	}
}
