//go:build unix

package spool_test

import (
	"os"
	"syscall"
	"testing"
)

// diskUsage returns how many bytes a file takes on disk.
func diskUsage(t *testing.T, file *os.File) int64 {
	t.Helper()
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}
