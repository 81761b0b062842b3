package installer

import "syscall"

func times(stat *syscall.Stat_t) (mtime, ctime int64) { return stat.Mtim.Nano(), stat.Ctim.Nano() }
