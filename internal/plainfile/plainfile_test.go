package plainfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := plainfile.Read(path, 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := plainfile.Read(path, 4); !errors.Is(err, fault.ErrTooLarge) {
		t.Errorf("a file that is too large: %v", err)
	}
	if _, err := plainfile.Read(filepath.Join(dir, "absent"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := plainfile.Read(dir, 5); err == nil {
		t.Error("no error for a directory")
	}
}
