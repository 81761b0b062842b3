//go:build linux || darwin

package fsmirror_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of an archive must not be waited for.
func TestAnArchiveThatIsAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "registry.example.com", "acme", "rocket", "terraform-provider-rocket_1.0.0_linux_amd64.zip")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := describe(t, dir, rocket, "1.0.0").Content.Archive.Open(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error is %v", err)
	}
}
