package installer_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/smalldisk"
)

// A full disk is the reason to prune, so pruning must not need room there.
func TestPruneOfAFullDisk(t *testing.T) { smalldisk.Run(t, "nr_inodes=64", pruneFullDisk) }

// pruneFullDisk has a file system of few files on dir.
func pruneFullDisk(t *testing.T, dir string) {
	s := stock{t, dir}
	path := s.put("acme/alpha", "1.0.0", 100, 30*day)
	if err := os.WriteFile(path+".lock", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.age(path+".lock", 30*day)
	var full error
	for i := 0; full == nil; i++ {
		full = os.Mkdir(filepath.Join(dir, string(rune('a'+i))), 0o755)
	}
	if !errors.Is(full, syscall.ENOSPC) {
		t.Fatal(full)
	}
	pruned, err := s.cache().Prune(t.Context(), installer.CachePrune{OlderThan: day})
	if err != nil || len(pruned.Removed) != 1 || isThere(path) {
		t.Errorf("result is %+v, %v", pruned, err)
	}
	s.wantNoLeftovers()
}
