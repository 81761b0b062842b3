package installer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

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
		return &sources.FieldError{Field: "CachePrune.OlderThan", Problem: fmt.Sprintf("is %s; want a duration, or zero for any age", o.OlderThan)}
	case o.MaxBytes < 0:
		return &sources.FieldError{Field: "CachePrune.MaxBytes", Problem: fmt.Sprintf("is %d; want a number of bytes, or zero for no limit", o.MaxBytes)}
	}
	return nil
}

// Prune removes packages that are not needed any more, and what killed processes have left. What was used within
// [CacheGrace] stays in any case.
//
// It is safe beside running installations: a package is removed under its lock, unless somebody else holds that or has used
// the package meanwhile, and disappears by one rename, before its files do. Killed at any moment, it leaves nothing that the
// next pruning or installation does not clear.
//
// A project that links to a removed package has a dangling link and needs to be installed again; copies, hard links and
// reflinks stay good. Since terraform and tofu leave no marks of use, Keep should have the lock files of projects where they,
// and nobody else, use the cache. Both also look at packages and link to them without a lock, and terraform brings them
// without one: they may fail if they start just when a package goes. So may an Installer that is not allowed to leave marks.
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
	if !p.DryRun && ctx.Err() == nil {
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
	slices.SortFunc(found, func(a, b cached) int {
		return cmp.Or(a.Used.Compare(b.Used), a.compare(b.CacheEntry)) // copied caches can have one time everywhere
	})
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
	return candidate.ifIdle(func() error {
		err := candidate.discard(candidate.Used)
		if err == nil && p.records != "" {
			_ = os.Remove(p.records.file(record)) // without its package it says nothing to anybody
		}
		return err
	})
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
