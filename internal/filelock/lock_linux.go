package filelock

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// acquire opens and locks path, or fails with errBusy.
func acquire(path string) (*hold, error) {
	if !hasDescriptionLocks() {
		return posix.acquire(path)
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := setLock(f, unix.F_OFD_SETLK, unix.F_WRLCK); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &hold{f, func() error { return dropped(f, unlock) }}, nil
}

// hasDescriptionLocks reports whether the kernel knows open-file-description locks; before Linux 3.15 and in some
// sandboxes it says EINVAL, and knows POSIX locks only. It is found out on a file of its own: with POSIX locks,
// closing any descriptor of a lock file, even after a vain try, ends the lock that this process has on it.
var hasDescriptionLocks = sync.OnceValue(func() bool {
	f, err := os.CreateTemp("", "filelock-")
	if err != nil {
		return true // nothing to try it on: trust in the present day
	}
	defer os.Remove(f.Name())
	defer f.Close()
	return !errors.Is(setLock(f, unix.F_OFD_SETLK, unix.F_WRLCK), unix.EINVAL)
})

// unlock is said explicitly: a child that is being forked may hold a copy of the descriptor for a moment.
func unlock(f *os.File) error { return setLock(f, unix.F_OFD_SETLK, unix.F_UNLCK) }
