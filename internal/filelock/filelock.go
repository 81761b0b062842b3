// Package filelock locks files so that one holder at a time, in this process or another, goes on.
//
// Format: the lock is on an open file, never in its contents; the file stays when the lock ends, and
// the system frees the lock of a process that dies. Lock files are empty, made with mode 0644 below
// directories with mode 0755, both less the umask.
//
// Compatibility: on Unix the lock excludes POSIX record locks, fcntl(F_SETLK) for writing on the whole file, which
// Terraform-like tools take on the same paths. Linux gives open-file-description locks
// (https://man7.org/linux/man-pages/man2/F_OFD_SETLK.2const.html), which exclude those and each other, also
// within one process. Elsewhere, and on Linux systems without them, the lock is a POSIX one, and a table in memory
// excludes the goroutines of this process from each other. On Windows it is LockFileEx on the whole file,
// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-lockfileex.
//
// Limits: the lock is advisory, and as good as the file system: network file systems may not have it
// ([ErrNoLocks]). Where the lock is a POSIX one, code of this process that opens and closes
// the lock file by itself ends it.
//
// Waiting is polling, with pauses from 1 to 100 ms, so that it ends with its context. It is not fair.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	firstPause = time.Millisecond
	maxPause   = 100 * time.Millisecond
	// staleTries is how often a lock file may be deleted by others, between opening and locking it, before that
	// counts as busy.
	staleTries = 8
)

// ErrNoLocks means that the file system has no locks, or ran out of them.
var ErrNoLocks = errors.New("the file system cannot lock files; choose a directory on a local disk")

// errBusy is what acquire returns when somebody else holds the lock.
var errBusy = errors.New("locked by somebody else")

// Error says which file could not be locked or unlocked. errors.Is finds the cause: the context's error,
// [ErrNoLocks], fs.ErrPermission, …
type Error struct {
	Path string
	Err  error
}

// Error names the file and the cause.
func (e *Error) Error() string { return fmt.Sprintf("file lock %s: %v", e.Path, e.Err) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Held is a lock that is held until Unlock.
type Held struct {
	path string
	mu   sync.Mutex
	held *hold // nil once unlocked
}

// hold is a locked file and the way to unlock and close it.
type hold struct {
	file *os.File
	drop func() error
}

// Lock opens the file at path, making it and the directories above it when they are missing, and locks it,
// waiting as long as ctx lasts. waiting, which may be nil, is called once if the lock is not free at
// the first try. All errors are [*Error]; after the end of ctx errors.Is finds ctx.Err().
func Lock(ctx context.Context, path string, waiting func()) (*Held, error) {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		if err := ctx.Err(); err != nil {
			return nil, &Error{path, err}
		}
		held, ok, err := TryLock(path)
		if ok || err != nil {
			return held, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		sleep(ctx, pause)
	}
}

// sleep waits for something between half of d and d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d/2 + rand.N(d/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// TryLock is Lock without waiting: false means that somebody else holds the lock.
func TryLock(path string) (*Held, bool, error) {
	for range staleTries {
		h, err := acquire(path)
		if errors.Is(err, errBusy) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, &Error{path, err}
		}
		current, err := isCurrent(path, h.file)
		if current {
			return &Held{path: path, held: h}, true, nil
		}
		if err := errors.Join(err, h.drop()); err != nil {
			return nil, false, &Error{path, err}
		}
	}
	return nil, false, nil
}

// Unlock frees the lock and closes the file, which stays. A second call fails with an error that is os.ErrClosed.
func (h *Held) Unlock() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		return &Error{h.path, os.ErrClosed}
	}
	err := h.held.drop()
	h.held = nil
	if err != nil {
		return &Error{h.path, err}
	}
	return nil
}

// isCurrent reports whether path still names the file f. Somebody may have deleted or replaced it between
// opening and locking; a lock on a file that nobody else can find excludes nobody.
func isCurrent(path string, f *os.File) (bool, error) {
	locked, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), err
}

// open opens the lock file for writing, which locking it needs, and makes what is missing.
func open(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE
	f, err := os.OpenFile(path, flags, 0o644)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, flags, 0o644)
}

// dropped unlocks and closes f. Closing comes even if unlocking fails: it frees the lock as well.
func dropped(f *os.File, unlock func(*os.File) error) error {
	return errors.Join(unlock(f), f.Close())
}

var _ error = (*Error)(nil)
