package main

import "syscall"

// freeMemory returns how many bytes of memory nothing is in; 0 if that is not told.
func freeMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Freeram) * int64(info.Unit)
}
