//go:build unix

package filelock

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// The table serves the systems without open-file-description locks; these tests run it on all.

func TestTableExcludesGoroutines(t *testing.T) {
	t.Parallel()
	var locks table
	path := filepath.Join(t.TempDir(), "lock")
	var inside, count int // the race detector watches them
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for done := 0; done < 20; {
				h, err := locks.acquire(path)
				if errors.Is(err, errBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside++; inside != 1 {
					t.Errorf("%d inside", inside)
				}
				count++
				done++
				inside--
				if err := h.drop(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if count != 8*20 || len(locks.rows) != 0 {
		t.Errorf("counted %d, %d rows left", count, len(locks.rows))
	}
}

func TestTableSeesThroughOtherNames(t *testing.T) {
	t.Parallel()
	var locks table
	dir := t.TempDir()
	path, other := filepath.Join(dir, "lock"), filepath.Join(dir, "other")
	h, err := locks.acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	if _, err := locks.acquire(other); !errors.Is(err, errBusy) {
		t.Errorf("by another name: %v", err)
	}
	if err := h.drop(); err != nil {
		t.Error(err)
	}
}

func TestTableClosesParkedFilesAfterUnlocking(t *testing.T) {
	t.Parallel()
	var locks table
	path := filepath.Join(t.TempDir(), "lock")
	h, err := locks.acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	locks.rows[0].parked = append(locks.rows[0].parked, f)
	if err := h.drop(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the parked file is open: %v", err)
	}
}

func TestErrorsOfTheSystemAreExplained(t *testing.T) {
	t.Parallel()
	for _, errno := range []unix.Errno{unix.ENOLCK, unix.EOPNOTSUPP, unix.ENOSYS} {
		if err := explain(errno); !errors.Is(err, ErrNoLocks) || !errors.Is(err, errno) {
			t.Errorf("%v: %v", errno, err)
		}
	}
	for _, errno := range []unix.Errno{unix.EAGAIN, unix.EACCES} {
		if err := explain(errno); !errors.Is(err, errBusy) {
			t.Errorf("%v: %v", errno, err)
		}
	}
	if err := explain(io.ErrNoProgress); err != io.ErrNoProgress || explain(nil) != nil {
		t.Errorf("got %v", err)
	}
}
