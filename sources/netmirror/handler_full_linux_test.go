package netmirror_test

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/smalldisk"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A full disk makes a mirror unhealthy, and takes nothing from it that it has.
func TestAFullDisk(t *testing.T) { smalldisk.Run(t, "size=256k", serveFullDisk) }

// serveFullDisk has a small file system on dir.
func serveFullDisk(t *testing.T, dir string) {
	s, store := newShelf("1.0.0", "1.1.0"), filepath.Join(dir, "store")
	log := newLogbook(t)
	h := s.before(t, in(store), func(c *netmirror.HandlerConfig) { c.IndexTTL, c.Logger = -1, slog.New(log) })
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
	log.blames(t, "the store", syscall.ENOSPC)
	if got := archives(t, store); len(got) != 1 {
		t.Errorf("stored: %v", got)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	expect(t, s.before(t, in(store)), next, http.StatusOK)
}

// The installer is told of a disk that is full while it downloads, and tells of it in its own words.
func TestADiskThatIsFullBeforeTheDownload(t *testing.T) {
	smalldisk.Run(t, "size=256k", fetchToFullDisk)
}

func fetchToFullDisk(t *testing.T, dir string) {
	log, store := newLogbook(t), filepath.Join(dir, "store")
	origin := start(t, registrytest.Config{})
	h := readThrough(t, registry(origin), in(store), func(c *netmirror.HandlerConfig) { c.Logger = slog.New(log) })
	expect(t, h, rocketV1, http.StatusOK)
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	expect(t, h, rocketLinux, http.StatusBadGateway)
	log.blames(t, "the store", syscall.ENOSPC)
}
