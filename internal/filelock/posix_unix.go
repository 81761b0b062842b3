//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// table knows the POSIX locks of this process. It is needed because these belong to the process as a whole: a
// second one on the same file succeeds, and closing any descriptor of the file frees them all.
type table struct {
	mu   sync.Mutex // held for every open, lock, unlock and close
	rows []*row
}

// row is one lock that is held.
type row struct {
	file   *os.File
	info   os.FileInfo // says which file it is, by device and inode
	parked []*os.File  // other descriptors of the file, which must not be closed before
}

// posix is this process's table.
var posix table

// acquire opens and locks path, or fails with errBusy. A file that this process holds is not even opened.
func (t *table) acquire(path string) (*hold, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if info, err := os.Stat(path); err == nil && t.find(info) != nil {
		return nil, errBusy
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if other := t.find(info); other != nil { // a file we hold was moved here just now
		other.parked = append(other.parked, f)
		return nil, errBusy
	}
	if err := setLock(f, unix.F_SETLK, unix.F_WRLCK); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r := &row{file: f, info: info}
	t.rows = append(t.rows, r)
	return &hold{f, func() error { return t.release(r) }}, nil
}

func (t *table) find(info os.FileInfo) *row {
	i := slices.IndexFunc(t.rows, func(r *row) bool { return os.SameFile(r.info, info) })
	if i < 0 {
		return nil
	}
	return t.rows[i]
}

func (t *table) release(r *row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = slices.DeleteFunc(t.rows, func(other *row) bool { return other == r })
	err := dropped(r.file, func(f *os.File) error { return setLock(f, unix.F_SETLK, unix.F_UNLCK) })
	for _, f := range r.parked {
		err = errors.Join(err, f.Close())
	}
	return err
}

// setLock locks or unlocks the whole of f without waiting.
func setLock(f *os.File, command int, kind int16) error {
	region := unix.Flock_t{Type: kind, Whence: io.SeekStart} // length 0: to the end, wherever that may be
	for {
		err := unix.FcntlFlock(f.Fd(), command, &region)
		if !errors.Is(err, unix.EINTR) {
			return explain(err)
		}
	}
}

// explain sorts the errors of fcntl.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return errBusy
	case errors.Is(err, unix.ENOLCK), errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w (%w)", ErrNoLocks, err)
	}
	return err
}
