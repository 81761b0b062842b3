package installer

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Lock selects versions as Install does and returns the dependency lock file's contents with the hashes of the
// packages for all given platforms, and with whatever other hashes of those versions the sources vouch for. Nothing is installed:
// an archive is downloaded to a temporary directory only to compute the h1: hash of its contents, and not even
// that when the source publishes that hash. Old hashes of a version that stays selected are kept. They do not bind: which
// platform a hash is for is not recorded, and there may be none yet for the platform asked for.
//
// Every platform must have a package. When some providers fail, the locks have the others' new entries and the old
// ones of those that failed, and the error is an [*Error].
func (in *Installer) Lock(ctx context.Context, req Request, platforms []sources.Platform) (Locks, error) {
	r, err := in.begin(&req)
	if err != nil {
		return nil, err
	}
	if len(platforms) == 0 {
		platforms = []sources.Platform{r.Platform}
	}
	scratch, err := r.scratch()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch) // nothing of value is in it
	needed, failed := req.providers()
	locked, more := each(needed, func(p sources.Provider) (*Package, *ProviderError) {
		return r.lock(ctx, p, platforms, scratch)
	})
	result := req.result(locked)
	return result.Locks, asError(append(failed, more...))
}

// scratch makes a directory for archives that are only read once, beside the other directories if there are any.
func (r *run) scratch() (string, error) {
	base := cmp.Or(r.CacheDir, r.Dir)
	if base != "" {
		if err := os.MkdirAll(base, 0o755); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(base, stagingPrefix)
}

// lock collects one provider's hashes.
func (r *run) lock(ctx context.Context, p sources.Provider, platforms []sources.Platform, scratch string) (*Package, *ProviderError) {
	selection, failure := r.resolve(ctx, p)
	if failure != nil {
		return nil, failure
	}
	jobs := make([]*job, len(platforms))
	for i, on := range platforms {
		jobs[i] = &job{run: r, selection: selection, platform: on}
	}
	proofs, failures := each(jobs, func(j *job) (*hashing.Proof, *ProviderError) {
		proof, err := j.hash(ctx, scratch)
		if err != nil {
			return nil, r.fail(&ProviderError{Provider: p, Version: selection.Version, Phase: PhaseLock, Err: err})
		}
		return proof, nil
	})
	if len(failures) > 0 {
		return nil, failures[0]
	}
	together := &hashing.Proof{Hashes: r.req.lockedHashes(p, selection.Version)}
	for _, proof := range proofs {
		together.Hashes = union(together.Hashes, proof.Hashes)
	}
	return &Package{Selection: *selection, Proof: together}, nil
}

// hash finds out the hashes of one platform's package: from what the source publishes, or from the package.
func (j *job) hash(ctx context.Context, scratch string) (*hashing.Proof, error) {
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
	if proof, err := j.hearsay(claims); proof != nil || err != nil {
		return proof, err
	}
	name := j.selection.Provider.Namespace() + "-" + sources.ArchiveName(j.selection.Provider, j.selection.Version, j.platform)
	dir, err := os.MkdirTemp(scratch, "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // nothing of value is in it
	unpacked, err := j.unpack(ctx, pkg, filepath.Join(dir, name), "")
	if err != nil {
		return nil, err
	}
	return unpacked.proof, nil
}

// hearsay judges a package by its claims alone. It returns nil when they are not enough for a lock file, which needs
// an h1: hash for plugin caches and a zh: hash for downloads.
func (j *job) hearsay(claims hashing.Claims) (*hashing.Proof, error) {
	admissible := slices.DeleteFunc(slices.Clone(claims.Package), func(c hashing.Claim) bool {
		return j.Policy.signed() && c.Authority < hashing.Signed
	})
	computed := hashing.Computed{}
	for _, claim := range admissible {
		switch claim.Hash.Scheme() {
		case hashing.SchemeH1:
			computed.Tree = claim.Hash
		case hashing.SchemeZH:
			computed.Archive = claim.Hash
		}
	}
	if computed.Tree == "" || computed.Archive == "" {
		return nil, nil
	}
	return j.judge(computed, claims)
}

// union returns the hashes of both, sorted, each once.
func union(a, b []hashing.Hash) []hashing.Hash {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
