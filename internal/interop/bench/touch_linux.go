package main

import (
	"os"
	"syscall"
)

// touchMemory writes to each page of new memory, of no more than is free, and frees it.
func touchMemory(bytes int64) error {
	bytes = min(bytes, freeMemory()*3/4)
	if bytes <= 0 {
		return nil
	}
	memory, err := syscall.Mmap(-1, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	return os.NewSyscallError("munmap", syscall.Munmap(memory))
}

// freeMemory returns how many bytes of memory nothing is in; 0 if that is not told.
func freeMemory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Freeram) * int64(info.Unit)
}
