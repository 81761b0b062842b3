package installer

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/purveyor-dev/purveyor/internal/filelock"
)

const (
	// markEvery is how old a mark of use must be to be renewed.
	markEvery = 10 * time.Minute

	// CacheGrace is for how long after its last use a package is never pruned, whatever the limits: whoever has just looked
	// at it may be about to link to it. It is longer than the time in which marks of use are not renewed.
	CacheGrace = 15 * time.Minute
)

// markUsed makes the lock file say that the package in the entry's place is being used, unless it says so already. It comes
// before the package is looked at, so that a pruning that has not seen the mark before moving the package sees it
// afterwards, and puts the package back. It is all the same if it fails: the cache may be somebody else's.
func (e entry) markUsed() {
	if !e.exists() {
		return
	}
	info, err := os.Lstat(e.lock)
	if errors.Is(err, fs.ErrNotExist) { // terraform locks nothing
		if held, ok, _ := filelock.TryLock(e.lock); ok { // which makes the file
			_ = held.Unlock()
		}
		info, err = os.Lstat(e.lock) // it is new, unless a pruning was faster, see makeLock
	}
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if now := time.Now(); info.ModTime().After(now) || now.Sub(info.ModTime()) >= markEvery {
		_ = os.Chtimes(e.lock, now, now) // opening and closing the file would end this process's lock on some systems
	}
}

// lastUse returns when the package was last used: by its mark, or when it was made.
func (e entry) lastUse() (time.Time, error) {
	info, err := os.Lstat(e.path)
	if err != nil {
		return time.Time{}, err
	}
	if mark := e.mark(); mark.After(info.ModTime()) {
		return mark, nil
	}
	return info.ModTime(), nil
}

// mark returns the mark of use; zero if there is none.
func (e entry) mark() time.Time {
	info, err := os.Lstat(e.lock)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// use marks a package of the cache as used.
func (j *job) use(home entry) {
	if j.in.CacheDir != "" {
		home.markUsed()
	}
}

// useLinked marks the package of the cache that the project links to, if it does.
func (j *job) useLinked(project, home entry) {
	if home != project && sameFile(project.path, home.path) {
		home.markUsed()
	}
}
