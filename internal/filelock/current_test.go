package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

// A lock on a file that its path no longer names is worth nothing: acquiring has to start over.
func TestALockOnAFileThatIsGoneDoesNotCount(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	f, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	check := func(when string, want bool) {
		t.Helper()
		if got, err := isCurrent(path, f); got != want || err != nil {
			t.Errorf("%s: %v, %v", when, got, err)
		}
	}
	check("untouched", true)
	if err := os.Remove(path); err != nil {
		t.Skip(err) // Windows keeps open files
	}
	check("deleted", false)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check("replaced", false)
}
