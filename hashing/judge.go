package hashing

import "slices"

// Judge decides whether a package with these computed hashes is the one that was locked and that its source describes.
//
// locked are the lock file's hashes of this version, for all platforms; nil when it is not locked. Those of known
// schemes bind: an h1 is satisfied by Tree or by Entries, a zh by Archive, and one of those that can be judged must be
// satisfied. A lock of unknown schemes only does not bind.
//
// The claims bind in the same way. If there are Signed ones that can be judged, one of these must match, whatever else
// was reported, and wherever the signer's key came from ([Signer.Carried]); else one of all that can be judged. Claims
// of which none can be judged are as good as none only when the lock file has already matched. No claims at all are no
// error: then Authority is Unverified.
//
// Hashes of the proof are: Tree; Archive, if the lock file or the source names it; everything locked, unknown schemes
// included; what Others say in known schemes. Nothing else that the source said about this package gets in.
//
// The error is a [*MismatchError] or an [*UnverifiableError], and the proof then nil. Hashes are compared as strings:
// use [ParseHash] for those from outside.
func Judge(c Computed, locked []Hash, claims Claims) (*Proof, error) {
	isLocked, err := c.judgeLock(locked)
	if err != nil {
		return nil, err
	}
	authority, err := c.judgeClaims(claims, isLocked)
	if err != nil {
		return nil, err
	}
	proof := &Proof{Authority: authority, Locked: isLocked, Computed: c, Hashes: c.lockable(locked, claims)}
	if authority == Signed {
		proof.Signer = claims.Signer
	}
	return proof, nil
}

// judgeLock reports whether a locked hash matched; false without an error says that nothing binds.
func (c Computed) judgeLock(locked []Hash) (bool, error) {
	known := keep(locked, Hash.Known)
	if len(known) == 0 {
		return false, nil
	}
	judgeable := keep(known, c.canJudge)
	if len(judgeable) == 0 {
		return false, &UnverifiableError{By: ByLock, Want: sorted(known), Got: c.all()}
	}
	if !slices.ContainsFunc(judgeable, c.satisfies) {
		return false, &MismatchError{By: ByLock, Want: sorted(judgeable), Got: c.all()}
	}
	return true, nil
}

// judgeClaims returns the authority of the best claim that matched.
func (c Computed) judgeClaims(claims Claims, isLocked bool) (Authority, error) {
	if len(claims.Package) == 0 {
		return Unverified, nil
	}
	binding := c.binding(claims)
	if len(binding) == 0 {
		if isLocked {
			return Unverified, nil
		}
		return Unverified, &UnverifiableError{By: BySource, Want: hashesOf(claims.Package), Got: c.all()}
	}
	best, matched := Unverified, false
	for _, claim := range binding {
		if c.satisfies(claim.Hash) {
			best, matched = max(best, claim.Authority), true
		}
	}
	if !matched {
		return Unverified, &MismatchError{By: BySource, Want: hashesOf(binding), Got: c.all()}
	}
	return best, nil
}

// binding returns the claims of which one must match: of those that can be judged the signed ones, if there are any.
func (c Computed) binding(claims Claims) []Claim {
	var all, signed []Claim
	for _, claim := range claims.Package {
		if !c.canJudge(claim.Hash) {
			continue
		}
		if claim.Authority = claim.Authority.under(claims.Signer); claim.Authority == Signed {
			signed = append(signed, claim)
		}
		all = append(all, claim)
	}
	if len(signed) > 0 {
		return signed
	}
	return all
}

// under limits an authority to what it can be with this signer: without one, a signature is hearsay.
func (a Authority) under(signer *Signer) Authority {
	if signer == nil {
		return min(a, Reported)
	}
	return min(a, Signed)
}

// lockable returns the hashes that are fit for a lock file.
func (c Computed) lockable(locked []Hash, claims Claims) []Hash {
	hashes := append([]Hash{c.Tree}, locked...)
	if slices.Contains(locked, c.Archive) || slices.Contains(hashesOf(claims.Package), c.Archive) {
		hashes = append(hashes, c.Archive)
	}
	return sorted(append(hashes, keep(hashesOf(claims.Others), Hash.Known)...))
}

// canJudge reports whether what was computed can satisfy or contradict h.
func (c Computed) canJudge(h Hash) bool {
	switch h.Scheme() {
	case SchemeH1:
		return c.Tree != "" || c.Entries != ""
	case SchemeZH:
		return c.Archive != ""
	}
	return false
}

// satisfies presumes that c can judge h.
func (c Computed) satisfies(h Hash) bool {
	return h == c.Tree || h == c.Entries || h == c.Archive
}

// all returns what was computed.
func (c Computed) all() []Hash {
	return sorted([]Hash{c.Tree, c.Entries, c.Archive})
}

func hashesOf(claims []Claim) []Hash {
	hashes := make([]Hash, 0, len(claims))
	for _, claim := range claims {
		hashes = append(hashes, claim.Hash)
	}
	return sorted(hashes)
}

// keep returns the hashes that ok accepts, in a slice of its own.
func keep(hashes []Hash, ok func(Hash) bool) []Hash {
	var kept []Hash
	for _, h := range hashes {
		if ok(h) {
			kept = append(kept, h)
		}
	}
	return kept
}
