package installer

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/purveyor-dev/purveyor/internal/filelock"
)

// errInUse says that somebody uses the package, or is bringing another.
var errInUse = errors.New("the package is in use")

// makeLock makes the lock file of a package that has none, such as one of terraform's, at once with a time that does not
// pretend a use: whoever saw a new mark would not renew it. If that does not work, or another is faster, the file gets the
// present time from whoever locks it, and the package counts as just used.
func (e entry) makeLock(used time.Time) {
	if _, err := os.Lstat(e.lock); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	_ = os.MkdirAll(e.staging, 0o700) // cleared by the next who has the lock
	f, err := os.CreateTemp(e.staging, "lock")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	if errors.Join(f.Chmod(0o644), f.Close(), os.Chtimes(f.Name(), used, used)) == nil {
		_ = os.Link(f.Name(), e.lock)
	}
}

// ifIdle runs do while holding the entry's lock, or returns errInUse if another does.
func (e entry) ifIdle(do func() error) (err error) {
	lock, ok, err := filelock.TryLock(e.lock)
	if err != nil {
		return err
	}
	if !ok {
		return errInUse
	}
	defer func() { err = also(err, lock.Unlock()) }()
	return do()
}

// discard moves the package aside and removes it, unless it was used after the given time. Whoever uses it without a lock
// leaves a mark first and looks then: either the mark shows here, at the latest when the package has been moved, or they find
// no package. The caller holds the lock.
func (e entry) discard(used time.Time) error {
	_ = removeAll(e.staging) // which can take its time, and so comes before the look
	last, err := e.lastUse()
	if err != nil {
		return unlessGone(err)
	}
	if last.After(used) {
		return errInUse
	}
	aside, err := e.setAside()
	if err != nil {
		return unlessGone(err)
	}
	return e.dropUnlessUsed(aside, used)
}

// setAside moves the package into the staging place. On a full disk there may be no room for a directory to put it in: then
// it takes the staging directory's name.
func (e entry) setAside() (aside string, err error) {
	w, err := e.workshop()
	aside = w.place("pruned")
	if err != nil {
		_ = removeAll(e.staging)
		aside = e.staging
	}
	err = os.Rename(e.path, aside)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(e.path, 0o755) == nil { // as for publish
		err = os.Rename(e.path, aside)
	}
	return aside, err
}

// dropUnlessUsed removes the package that was set aside, or puts it back.
func (e entry) dropUnlessUsed(aside string, used time.Time) error {
	defer removeAll(e.staging)
	if !e.mark().After(used) {
		return nil
	}
	if err := os.Rename(aside, e.path); err != nil && !e.exists() { // terraform, which takes no locks, may have been faster
		return err
	}
	return errInUse
}
