//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// isPrivate reports whether a directory belongs to the user, and nobody else can write to it.
func isPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
