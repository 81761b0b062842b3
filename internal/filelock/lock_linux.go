package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// acquire opens and locks path, or fails with errBusy. Kernels that do not know open-file-description
// locks (before Linux 3.15, and some sandboxes) say EINVAL; they know POSIX locks.
func acquire(path string) (*hold, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	err = setLock(f, unix.F_OFD_SETLK, unix.F_WRLCK)
	if err == nil {
		return &hold{f, func() error { return dropped(f, unlock) }}, nil
	}
	if err := errors.Join(err, f.Close()); !errors.Is(err, unix.EINVAL) {
		return nil, err
	}
	return posix.acquire(path)
}

// unlock is said explicitly: a child that is being forked may hold a copy of the descriptor for a moment.
func unlock(f *os.File) error { return setLock(f, unix.F_OFD_SETLK, unix.F_UNLCK) }
