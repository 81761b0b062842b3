package installer

import (
	"context"

	"github.com/purveyor-dev/purveyor/hashing"
)

// prove returns what shows that the package in dir is the right one: a hash of the lock file, or without a lock, the
// record of having verified these very contents with a signature. It returns nil when nothing does: there is no
// package, or it is another or damaged one, or nothing is known about it.
func (j *job) prove(ctx context.Context, dir string) (*hashing.Proof, error) {
	if _, err := findExecutable(dir, j.selection.Provider); err != nil || !j.accepts(dir) {
		return nil, ctx.Err()
	}
	known, unchanged := j.in.records().find(j, dir)
	switch {
	case unchanged:
		return j.believe(known.Computed.Tree, known), ctx.Err()
	case known == nil && len(j.locked) == 0:
		return nil, ctx.Err()
	}
	return j.proveByReading(ctx, dir, known)
}

// proveByReading computes the hash of what is in dir. known is what was proven of it once; nil if nothing was.
func (j *job) proveByReading(ctx context.Context, dir string, known *hashing.Proof) (*hashing.Proof, error) {
	before := takeSnapshot(dir)
	tree, err := j.hashDir(ctx, dir)
	if err != nil {
		return nil, ctx.Err() // another reason than the end of the context only means that the package must be fetched
	}
	if known != nil && known.Computed.Tree != tree {
		known = nil
	}
	proof := j.believe(tree, known)
	if proof != nil && before != nil {
		if known == nil { // the lock file's other hashes are this project's affair
			known = contentsOnly(tree)
		}
		j.in.records().keep(j, dir, known, before)
	}
	return proof, nil
}

// believe decides about contents with this hash. known is what was proven of them before; nil if nothing was.
func (j *job) believe(tree hashing.Hash, known *hashing.Proof) *hashing.Proof {
	if len(j.locked) == 0 {
		// A source's mere word counts for nothing later: another source may be asked this time.
		if known == nil || known.Authority < hashing.Signed || j.in.Policy.Accepts(known) != nil {
			return nil
		}
		return known
	}
	proof, err := hashing.Judge(hashing.Computed{Tree: tree}, j.locked, hashing.Claims{})
	if err != nil || !proof.Locked {
		return nil
	}
	if known != nil {
		proof.Authority, proof.Signer = known.Authority, known.Signer
	}
	return proof
}
