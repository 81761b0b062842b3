package main

import (
	"errors"
	"io"
	"os"
)

// mostTouched is how many bytes of memory are touched before a run, at most.
const mostTouched = 2 << 30

// touchMemory uses as much of the system's memory for files, and frees it. On a virtual machine, memory that was not
// in use for a while can cost many times as much to write to as memory that was, since the host has to find it first:
// whoever happens to be measured then would pay for the others.
func touchMemory(dir string, bytes int64) (err error) {
	file, err := os.CreateTemp(dir, "touched-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if err := file.Truncate(bytes); err != nil { // nothing but a hole, which takes memory when it is read, and no disk
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{file}, make([]byte, 1<<20))
	return err
}

// touchMuch touches what is free, or as much as many runs will use.
func (s *scenario) touchMuch() error {
	var most int64
	for _, set := range s.offer.Sets {
		most = max(most, set.needs())
	}
	return touchMemory("", min(freeMemory(), 20*most))
}

// touch touches as much as a run will use.
func (m *module) touch(s set) error { return touchMemory(m.root, min(mostTouched, s.needs())) }

// needs returns how many bytes of memory an installation uses for files: unpacked packages, archives, and some.
func (s set) needs() int64 { return int64(s.Count) * s.Size * 3 / 2 }
