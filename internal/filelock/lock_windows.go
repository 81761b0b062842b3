package filelock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// whole is each half of the length of a region that holds every byte a file can have.
const whole = ^uint32(0)

// acquire opens and locks path, or fails with errBusy.
func acquire(path string) (*hold, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, whole, whole, new(windows.Overlapped))
	if err != nil {
		return nil, errors.Join(explain(err), f.Close())
	}
	return &hold{f, func() error { return dropped(f, unlock) }}, nil
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, whole, whole, new(windows.Overlapped))
}

// explain sorts the errors of LockFileEx.
func explain(err error) error {
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errBusy
	case errors.Is(err, windows.ERROR_INVALID_FUNCTION), errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w (%w)", ErrNoLocks, err)
	}
	return err
}
