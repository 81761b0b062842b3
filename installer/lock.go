package installer

import (
	"context"
	"os"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Lock selects versions as Install does and returns the dependency lock file's contents with the hashes of the
// packages for all given platforms (each counts once; nil: Installer.Platform), and with whatever other hashes of those versions the
// sources vouch for. Nothing is installed, and what somebody vouches for is not fetched: the checksums that a provider's
// author has signed, or what a mirror publishes, under the same conditions as when a package is installed. A package
// without such hashes is downloaded to a temporary file for them, or read where it is. [Request.H1] asks for more. What is
// published is believed unseen: mirrors often publish an h1: hash of the archive's list of entries, which is that of the
// contents unless the archive lists directories.
//
// Each platform's hashes are those of the package that an installation on it would get, from the same source of a chain.
// Old hashes of a version that stays selected are kept. They do not bind: which platform a hash is for is not
// recorded, and there may be none yet for the one asked for.
//
// Every platform must have a package; a [*sources.PlatformError] says which have one. When some providers fail, the locks
// have the others' new entries and all other entries as they were, and the error is an [*Error].
func (in *Installer) Lock(ctx context.Context, req Request, platforms []sources.Platform) (Locks, error) {
	r, err := in.begin(ctx, &req)
	if err != nil {
		return nil, err
	}
	if req.Readonly {
		return nil, &sources.FieldError{Field: "Request.Readonly", Problem: "makes no sense for Lock, which returns what the lock file should become"}
	}
	if len(platforms) == 0 {
		platforms = []sources.Platform{r.in.Platform}
	}
	for _, on := range platforms {
		if err := checkPlatform("platforms", on); err != nil {
			return nil, err
		}
	}
	platforms = slices.Compact(slices.SortedFunc(slices.Values(platforms), sources.Platform.Compare))
	r.platforms = platforms
	needed, failed := r.needed()
	jobs, more := r.lockJobs(ctx, needed, platforms)
	failed = append(failed, more...)
	found, more := each(jobs, func(j *job) (*hashed, *ProviderError) { return j.hashes(ctx) })
	failed = append(failed, more...)
	return req.lockAll(found, failed), asError(failed)
}

// lockJobs selects a version for each provider and returns the work that this means, for all platforms.
func (r *run) lockJobs(ctx context.Context, needed []sources.Provider, platforms []sources.Platform) ([]*job, []*ProviderError) {
	selections, failed := each(needed, func(p sources.Provider) (*Selection, *ProviderError) { return r.resolve(ctx, p) })
	var jobs []*job
	for _, selection := range selections {
		for _, on := range platforms {
			jobs = append(jobs, &job{run: r, selection: selection, on: on})
		}
	}
	return jobs, failed
}

// hashed is what was found out about one platform's package.
type hashed struct {
	selection *Selection
	hashes    []hashing.Hash
}

func (j *job) hashes(ctx context.Context) (*hashed, *ProviderError) {
	proof, err := j.hash(ctx)
	if err != nil {
		return nil, j.fail(PhaseLock, err)
	}
	j.send(Event{Kind: EventLocked, Proof: proof})
	return &hashed{j.selection, proof.Hashes}, nil
}

// lockAll puts the hashes together. A provider that failed for one platform keeps its old entry.
func (req *Request) lockAll(found []*hashed, failures []*ProviderError) Locks {
	locks := req.keptLocks(len(failures) == 0)
	failed := make(map[sources.Provider]bool)
	for _, failure := range failures {
		failed[failure.Provider] = true
	}
	for _, h := range found {
		s := h.selection
		if failed[s.Provider] {
			continue
		}
		lock := Lock{Version: s.Version, Constraints: s.Constraints, Hashes: h.hashes}
		if have := locks[s.Provider]; have.Version == s.Version { // from the old file, or for another platform
			lock.Hashes = union(have.Hashes, h.hashes)
		}
		locks[s.Provider] = lock
	}
	return locks
}

// hash finds out the hashes of one platform's package: from what the source publishes, or from the package.
func (j *job) hash(ctx context.Context) (*hashing.Proof, error) {
	if err := j.underway.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer j.underway.Release(1)
	pkg, err := j.describe(ctx)
	if err != nil {
		return nil, err
	}
	if pkg.Content.Dir != "" {
		have, err := j.adopt(ctx, pkg)
		if err != nil {
			return nil, err
		}
		return have.proof, nil
	}
	claims, err := j.claims(ctx, pkg)
	if err != nil {
		return nil, err
	}
	if published, ok := j.in.Policy.published(claims, j.req.H1); ok {
		return j.weigh(published, claims)
	}
	return j.hashArchive(ctx, pkg)
}

// hashArchive downloads the package for nothing but its hashes.
func (j *job) hashArchive(ctx context.Context, pkg *sources.Package) (_ *hashing.Proof, err error) {
	archive, err := j.scratchFile()
	if err != nil {
		return nil, err
	}
	defer os.Remove(archive.Name())
	defer func() { err = also(err, archive.Close()) }()
	unpacked, err := j.unpack(ctx, pkg, archive, "")
	if err != nil {
		return nil, err
	}
	return unpacked.proof, nil
}

// published returns the hashes of a package as its claims have them, and whether they are enough for a lock file: a zh: for
// downloads, an h1: where h1 asks for it, or an h1: alone where nobody says anything about the archive. A hash of which
// there are several on the same authority is in doubt, and not used.
func (p Policy) published(claims hashing.Claims, h1 bool) (c hashing.Computed, enough bool) {
	trees, archives := p.best(claims, hashing.SchemeH1), p.best(claims, hashing.SchemeZH)
	if len(trees) == 1 {
		c.Tree = trees[0]
	}
	if len(archives) == 1 {
		c.Archive = archives[0]
	}
	enough = len(archives) <= 1 && (c.Tree != "" || c.Archive != "" && !h1)
	return c, enough
}

// best returns the hashes of a scheme that are claimed with the highest authority, each once. Without a signer nothing is
// signed, whatever a claim says.
func (p Policy) best(claims hashing.Claims, scheme string) []hashing.Hash {
	var highest hashing.Authority
	var hashes []hashing.Hash
	for _, claim := range claims.Package {
		if claims.Signer == nil {
			claim.Authority = min(claim.Authority, hashing.Reported)
		}
		switch {
		case claim.Hash.Scheme() != scheme || p.signed() && claim.Authority < hashing.Signed:
		case len(hashes) == 0 || claim.Authority > highest:
			highest, hashes = claim.Authority, []hashing.Hash{claim.Hash}
		case claim.Authority == highest:
			hashes = union(hashes, []hashing.Hash{claim.Hash})
		}
	}
	return hashes
}

// union returns the hashes of both, sorted, each once.
func union(a, b []hashing.Hash) []hashing.Hash {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
