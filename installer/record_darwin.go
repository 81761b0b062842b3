package installer

import "syscall"

func times(stat *syscall.Stat_t) (mtime, ctime int64) {
	return stat.Mtimespec.Nano(), stat.Ctimespec.Nano()
}
