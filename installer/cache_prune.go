package installer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/sources"
)

// CachePrune says what is to be removed from a cache: packages that are too old, and of the rest the least recently used
// ones as long as there are too many bytes. The zero value removes none, and only tidies up.
type CachePrune struct {
	// OlderThan removes packages that were not used for longer. Zero: age does not matter.
	OlderThan time.Duration

	// MaxBytes is how much may stay, as in [CacheEntry.Bytes]. What has to stay can be more. Zero: as much as there is.
	MaxBytes int64

	// Keep are lock files of which every version stays, for all platforms, whatever its age.
	Keep []Locks

	// DryRun changes nothing, and tells what would be removed if nobody else used the cache.
	DryRun bool
}

// CachePruned is what became of a cache.
type CachePruned struct {
	Removed []CacheEntry // least recently used first
	Bytes   int64        // of Removed
	Spared  []CacheEntry // should have been removed, but were in use when their turn came
	Left    int64        // bytes of the packages that stay
}

func (o *CachePrune) check() error {
	switch {
	case o.OlderThan < 0:
		return &FieldError{Field: "CachePrune.OlderThan", Problem: fmt.Sprintf("is %s; want a duration, or zero for any age", o.OlderThan)}
	case o.MaxBytes < 0:
		return &FieldError{Field: "CachePrune.MaxBytes", Problem: fmt.Sprintf("is %d; want a number of bytes, or zero for no limit", o.MaxBytes)}
	}
	return nil
}

// Prune removes packages that are not needed any more, and what killed processes have left. What was used within
// [CacheGrace] stays in any case.
//
// It is safe beside running installations, those of tofu included: a package is removed under its lock, unless somebody
// else holds that or has used the package meanwhile, and disappears by one rename, before its files do. Killed at any
// moment, it leaves nothing that the next pruning or installation does not clear.
//
// A project that links to a removed package has a dangling link and needs to be installed again; copies, hard links and
// reflinks stay good. Since terraform and tofu leave no marks of use, Keep should have the lock files of projects where they,
// and nobody else, use the cache; terraform also takes no locks, so that it may fail if it starts just when a
// package goes.
//
// Lock files, which are empty, stay with the directories around them: others may be waiting for them, and a lock on a file
// that has lost its name excludes nobody.
//
// Where something cannot be removed, the rest is, and the error has all reasons. The result counts in any case.
func (c *Cache) Prune(ctx context.Context, options CachePrune) (*CachePruned, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	records, err := c.records()
	if err != nil {
		return nil, err
	}
	found, err := c.packages(ctx)
	if ctx.Err() != nil {
		return nil, err
	}
	p := &pruning{CachePrune: options, records: records, now: time.Now(), result: &CachePruned{}}
	p.note(err)
	p.run(ctx, found)
	if !p.DryRun {
		p.note(c.tidy(ctx))
	}
	return p.result, errors.Join(p.errs...)
}

// pruning is one call of Prune.
type pruning struct {
	CachePrune
	records records
	now     time.Time
	result  *CachePruned
	errs    []error
}

func (p *pruning) note(err error) {
	if err != nil {
		p.errs = append(p.errs, err)
	}
}

// run removes what has to go, least recently used first.
func (p *pruning) run(ctx context.Context, found []cached) {
	slices.SortFunc(found, func(a, b cached) int { return a.Used.Compare(b.Used) })
	for _, candidate := range found {
		p.result.Left += candidate.Bytes
	}
	kept := p.kept()
	for _, candidate := range found {
		if err := ctx.Err(); err != nil {
			p.note(err)
			return
		}
		if candidate.State == CacheLink || kept[release{candidate.Provider, candidate.Version}] || !p.mustGo(candidate.CacheEntry) {
			continue
		}
		p.settle(candidate, p.remove(candidate))
	}
}

// mustGo reports whether a package is too old, or one too many.
func (p *pruning) mustGo(e CacheEntry) bool {
	age := p.now.Sub(e.Used)
	if age < CacheGrace {
		return false
	}
	return p.OlderThan > 0 && age > p.OlderThan || p.MaxBytes > 0 && p.result.Left > p.MaxBytes
}

// settle takes down what became of a candidate.
func (p *pruning) settle(candidate cached, err error) {
	switch {
	case errors.Is(err, errInUse):
		p.result.Spared = append(p.result.Spared, candidate.CacheEntry)
	case err != nil:
		p.note(err)
	default:
		p.result.Removed = append(p.result.Removed, candidate.CacheEntry)
		p.result.Bytes += candidate.Bytes
		p.result.Left -= candidate.Bytes
	}
}

// release is what a lock file selects.
type release struct {
	provider sources.Provider
	version  sources.Version
}

func (p *pruning) kept() map[release]bool {
	kept := make(map[release]bool)
	for _, locks := range p.Keep {
		for provider, lock := range locks {
			kept[release{provider, lock.Version}] = true
		}
	}
	return kept
}

// errInUse says that somebody uses the package, or is bringing another.
var errInUse = errors.New("the package is in use")

// remove removes one package.
func (p *pruning) remove(candidate cached) error {
	if p.DryRun {
		return nil
	}
	candidate.makeLock(candidate.Used)
	record, err := filepath.EvalSymlinks(candidate.path)
	if err != nil {
		return unlessGone(err)
	}
	if err := candidate.ifIdle(func() error { return candidate.discard(candidate.Used) }); err != nil {
		return err
	}
	if p.records != "" {
		_ = os.Remove(p.records.file(record)) // without its package it says nothing to anybody
	}
	return nil
}

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
	last, err := e.lastUse()
	if err != nil {
		return unlessGone(err)
	}
	if last.After(used) {
		return errInUse
	}
	return e.stage(func(w workshop) error {
		aside := w.place("pruned")
		if err := moveDir(e.path, aside); err != nil {
			return unlessGone(err)
		}
		if !e.mark().After(used) {
			return nil
		}
		if err := os.Rename(aside, e.path); err != nil {
			return err
		}
		return errInUse
	})
}

// moveDir moves a directory, also one that is not writable.
func moveDir(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(from, 0o755) == nil {
		err = os.Rename(from, to)
	}
	return err
}

// tidy clears what killed installations and prunings have left.
func (c *Cache) tidy(ctx context.Context) error {
	var leftovers []entry
	err := c.walk(ctx, func(at site) error {
		if at.leftover {
			leftovers = append(leftovers, newEntry(at.root, at.provider, at.version, at.platform))
		}
		return nil
	})
	for _, e := range leftovers {
		if failed := e.ifIdle(func() error { return removeAll(e.staging) }); !errors.Is(failed, errInUse) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
