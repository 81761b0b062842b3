package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
)

// mostTouched is how many bytes of memory are touched before a run, at most.
const mostTouched = 6 << 30

// touchBefore starts a process that uses memory and frees it, before a run. On a virtual machine, memory that was not in
// use for a moment can cost ten times as much to write to as memory that was, since the host has to find it first: whoever
// happens to get such memory would pay for what others do not. That is why it is much more than a run needs.
func touchBefore(ctx context.Context, self string, s set) error {
	bytes := min(mostTouched, 5*s.needs())
	if out, err := exec.CommandContext(ctx, self, asTouch, strconv.FormatInt(bytes, 10)).CombinedOutput(); err != nil {
		return fmt.Errorf("touching memory: %w\n%s", err, out)
	}
	return nil
}

// touch is that process.
func touch(args []string) error {
	if len(args) != 1 {
		return errors.New("touch takes a number of bytes")
	}
	bytes, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	return touchMemory(bytes)
}

// needs returns how many bytes of memory an installation uses for files: unpacked packages, archives, and some.
func (s set) needs() int64 { return int64(s.Count) * s.Size * 3 / 2 }
