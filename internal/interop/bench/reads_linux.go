package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

const ofProcess = 1 // P_PID of <sys/wait.h>

// awaitReads waits until a child ends, without taking its end from [os.Process.Wait], and returns how many bytes it read,
// with its own children, from files, connections and everything else; where that is not told, 0. It is rchar in
// https://man7.org/linux/man-pages/man5/proc_pid_io.5.html.
func awaitReads(pid int) (read int64) {
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, ofProcess, uintptr(pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			break
		}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "rchar: %d", &read); err == nil {
			return read
		}
	}
	return 0
}
