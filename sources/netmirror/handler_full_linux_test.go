package netmirror_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/smalldisk"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

// A full disk makes a mirror unhealthy, and takes nothing from it that it has.
func TestAFullDisk(t *testing.T) { smalldisk.Run(t, "size=256k", serveFullDisk) }

// serveFullDisk has a small file system on dir.
func serveFullDisk(t *testing.T, dir string) {
	s, store := newShelf("1.0.0", "1.1.0"), filepath.Join(dir, "store")
	h := s.before(t, in(store), func(c *netmirror.HandlerConfig) { c.IndexTTL = -1 })
	expect(t, h, rocketLinux, http.StatusOK)
	if err := h.Healthy(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := h.Healthy(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	for _, path := range []string{rocketIndex, rocketV1, rocketLinux} {
		expect(t, h, path, http.StatusOK)
		expect(t, s.before(t, in(store)), path, http.StatusOK)
	}
	next := strings.Replace(rocketLinux, "1.0.0", "1.1.0", 1)
	expect(t, h, next, http.StatusBadGateway)
	if got := archives(t, store); len(got) != 1 {
		t.Errorf("stored: %v", got)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	expect(t, s.before(t, in(store)), next, http.StatusOK)
}
