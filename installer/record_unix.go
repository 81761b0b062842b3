//go:build linux || darwin

package installer

import (
	"io/fs"
	"os"
	"syscall"
)

// stateOfFile returns the state of one of the user's own files.
func stateOfFile(info fs.FileInfo) (fileState, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() {
		return fileState{}, false
	}
	mtime, ctime := times(stat)
	return fileState{
		Device: uint64(stat.Dev),
		Inode:  stat.Ino,
		Owner:  stat.Uid,
		Mode:   info.Mode(),
		Size:   info.Size(),
		Mtime:  mtime,
		Ctime:  ctime,
	}, true
}

// isPrivate reports whether a directory is the user's own and nobody else's to write.
func isPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
