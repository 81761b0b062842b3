package main

import (
	"errors"
	"os"
)

// mostTouched is how many bytes of memory are touched before a run, at most.
const mostTouched = 2 << 30

// touchMemory uses as much of the system's memory for files as a run will, and frees it. On a virtual machine, memory that
// was not in use for a while can cost many times as much to write to as memory that was: whoever happens to be
// measured first would pay for the others.
func (m *module) touchMemory(s set) (err error) {
	file, err := os.CreateTemp(m.root, "touched-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	chunk := make([]byte, 1<<20)
	size := min(mostTouched, int64(s.Count)*s.Size*3/2) // unpacked packages, archives, and some
	for ; size > 0; size -= int64(len(chunk)) {
		if _, err := file.Write(chunk); err != nil {
			return err
		}
	}
	return nil
}
