package spool

import (
	"os"

	"golang.org/x/sys/unix"
)

// punch makes a hole in a file, if the file system can do that, see fallocate(2).
func punch(file *os.File, offset, length int64) {
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		_ = unix.Fallocate(int(fd), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, offset, length)
	})
}
