package installer

import (
	"context"
	"errors"
	"fmt"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// adopt verifies a package that its source has in unpacked form. It stays where it is, to be linked to.
func (j *job) adopt(ctx context.Context, pkg *sources.Package) (*stored, error) {
	tree, err := j.hashDir(ctx, pkg.Content.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot verify the package in %s: %w", pkg.Content.Dir, err)
	}
	claims, err := j.claims(ctx, pkg)
	if err != nil {
		return nil, err
	}
	proof, err := j.weighDir(pkg.Content.Dir, tree, claims)
	if err != nil {
		return nil, err
	}
	j.send(Event{Kind: EventVerified, Proof: proof})
	if _, err := findExecutable(pkg.Content.Dir, j.selection.Provider); err != nil {
		return nil, err
	}
	return &stored{dir: pkg.Content.Dir, proof: proof, location: pkg.Location}, nil
}

// weighDir compares a directory's hash with lock file, claims and policy.
func (j *job) weighDir(dir string, tree hashing.Hash, claims hashing.Claims) (*hashing.Proof, error) {
	computed := hashing.Computed{Tree: tree}
	proof, err := j.weigh(computed, claims)
	if !isUnverifiable(err) || !j.in.Policy.AllowUnverifiableInsecure {
		return proof, err
	}
	why := err
	if proof, err = j.weighUnverifiable(computed, claims); err != nil {
		return nil, err
	}
	j.send(Event{Kind: EventWarning, Message: fmt.Sprintf("Policy.AllowUnverifiableInsecure lets %s pass: %v", dir, why)})
	return proof, nil
}

// weighUnverifiable passes over hashes that say nothing about a directory; those that do still bind.
func (j *job) weighUnverifiable(computed hashing.Computed, claims hashing.Claims) (*hashing.Proof, error) {
	claims = j.in.Policy.admissible(claims)
	proof, err := hashing.Judge(computed, nil, claims)
	if isUnverifiable(err) {
		proof, err = hashing.Judge(computed, nil, hashing.Claims{Others: claims.Others, Signer: claims.Signer})
	}
	if err != nil {
		return nil, err
	}
	proof.Hashes = union(proof.Hashes, j.locked)
	return proof, j.in.Policy.Accepts(proof)
}

func isUnverifiable(err error) bool {
	var unverifiable *hashing.UnverifiableError
	return errors.As(err, &unverifiable)
}
