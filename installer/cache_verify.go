package installer

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
)

// CacheVerdict is what the verification of a package in a cache came to.
type CacheVerdict struct {
	CacheEntry
	Tree hashing.Hash // h1 of what is there; empty if it could not be read

	// Proof is what shows that the package is the right one: Locked if a lock file has its hash, and with the Authority
	// and Signer of a record if there is one of these contents. A record of the lowest authority says no more than that the
	// package is as it was when it was installed. Nil if nothing shows it.
	Proof *hashing.Proof

	// Err says why the package is wrong where something contradicts it: a [*hashing.MismatchError] by the dependency lock
	// file, or by the package it was copied from where it is the record; or why it could not be read. Hashes of lock
	// files are for no platform in particular, so a mismatch can mean that they lack the package's platform, and is none
	// where the record is of a signature by a key that the provider's registry offers. Nil without a
	// Proof: nobody vouches for the package, nor against it.
	Err error
}

// Verify reads every package and compares it with the records in RecordDir and with the h1: hashes that the lock files have
// for its version: hashes of archives cannot be compared. No package is changed. The verdicts are in the order of List; what is
// a link, or goes meanwhile, has none. The error is about the cache as a whole, as that of List; bad packages are none.
func (c *Cache) Verify(ctx context.Context, locks ...Locks) ([]CacheVerdict, error) {
	records, err := c.records()
	if err != nil {
		return nil, err
	}
	found, err := c.packages(ctx)
	if ctx.Err() != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(p cached) bool { return p.State == CacheLink })
	slices.SortFunc(found, func(a, b cached) int { return a.compare(b.CacheEntry) })
	verdicts := make([]*CacheVerdict, len(found))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range found {
		group.Go(func() (err error) {
			verdicts[i], err = p.verify(groupCtx, records, locks)
			return err
		})
	}
	err = errors.Join(err, group.Wait())
	var all []CacheVerdict
	for _, v := range present(verdicts) {
		all = append(all, *v)
	}
	return all, err
}

// verify returns nil for a package that is gone. What looks wrong is looked at again under the lock: an installation may have
// replaced it while it was read. Only the end of the context is an error.
func (p cached) verify(ctx context.Context, records records, locks []Locks) (*CacheVerdict, error) {
	verdict := p.examine(ctx, records, locks)
	if verdict.Err != nil && ctx.Err() == nil {
		p.makeLock(p.Used)
		_ = p.exclusively(ctx, nil, func() error { // where nothing can be locked, nothing is replaced
			_ = removeAll(p.staging)
			verdict = p.examine(ctx, records, locks)
			return nil
		})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !p.exists() {
		return nil, nil
	}
	return verdict, nil
}

// examine reads the package and judges.
func (p cached) examine(ctx context.Context, records records, locks []Locks) *CacheVerdict {
	v := &CacheVerdict{CacheEntry: p.CacheEntry}
	if v.Tree, v.Err = hashing.Dir(ctx, p.Path); v.Err != nil {
		return v
	}
	if _, v.Err = findExecutable(p.Path, p.Provider); v.Err != nil {
		return v
	}
	proof, errRecord := v.compareRecord(records)
	locked, errLock := v.compareLocks(locks)
	switch {
	case proof != nil && (errLock == nil || outweighsLocks(proof)):
		v.Proof = proof
	case locked:
		v.Proof = contentsOnly(v.Tree)
	default:
		v.Err = errors.Join(errLock, errRecord)
		return v
	}
	v.Proof.Locked = locked
	return v
}

// outweighsLocks reports whether a lock file that has only other hashes must be one that lacks the package's platform. The
// word of a mirror, or a key that came through one, may have been remembered of a wrong package.
func outweighsLocks(proof *hashing.Proof) bool {
	return proof.Authority >= hashing.Signed && proof.Signer != nil && !proof.Signer.Carried
}

// about returns the record about a package; nil if there is none.
func (r records) about(e CacheEntry) *record {
	if r == "" {
		return nil
	}
	path, err := filepath.EvalSymlinks(e.Path)
	if err != nil {
		return nil
	}
	known := r.read(path)
	if known == nil || known.Provider != e.Provider || known.Version != e.Version || known.Platform != e.Platform {
		return nil
	}
	return known
}

// compareRecord returns what was proven of the contents once. The error is about other contents in the same place.
func (v *CacheVerdict) compareRecord(records records) (*hashing.Proof, error) {
	known := records.about(v.CacheEntry)
	if known == nil {
		return nil, nil
	}
	if known.Tree != v.Tree {
		return nil, v.mismatch(hashing.ByOriginal, known.Tree)
	}
	return known.proof(), nil
}

// compareLocks reports whether any lock file has the contents' hash. It is an error if there are only others.
func (v *CacheVerdict) compareLocks(locks []Locks) (bool, error) {
	var want []hashing.Hash
	for _, l := range locks {
		lock, ok := l[v.Provider]
		if !ok || lock.Version != v.Version {
			continue
		}
		for _, h := range lock.Hashes {
			if h.Scheme() == hashing.SchemeH1 {
				want = append(want, h)
			}
		}
	}
	if len(want) == 0 || slices.Contains(want, v.Tree) {
		return len(want) > 0, nil
	}
	return false, v.mismatch(hashing.ByLock, union(want, nil)...)
}

func (v *CacheVerdict) mismatch(by hashing.By, want ...hashing.Hash) error {
	return &hashing.MismatchError{By: by, Want: want, Got: []hashing.Hash{v.Tree}}
}
