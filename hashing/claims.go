package hashing

import (
	"strings"
	"time"
)

// Authority says on whose word a hash is believed. A greater one is better.
type Authority int

// The authorities, worst first.
const (
	Unverified Authority = iota // nobody's: the hash was computed from the bytes that came
	Reported                    // the source's own, without a signature
	Signed                      // the provider's author, by a signature that was verified
)

// String returns "unverified", "reported" or "signed".
func (a Authority) String() string {
	switch {
	case a >= Signed:
		return "signed"
	case a == Reported:
		return "reported"
	}
	return "unverified"
}

// Signer is the owner of the OpenPGP key that signed a package's hashes.
type Signer struct {
	Fingerprint string    // of the primary key, in upper-case hexadecimal
	KeyID       string    // of the primary key, 16 digits of upper-case hexadecimal
	Identity    string    // the primary user ID, such as "Example Security <security@example.com>"; "" if there is none
	ExpiredAt   time.Time // when the key or the signature expired; zero: both were valid at verification

	// Carried says that the key came with the package through a mirror: the provider's registry did not vouch for it.
	// Whoever runs the mirror can have replaced package, signature and key together, so that the signature proves who
	// released the package only to somebody who knows the fingerprint.
	Carried bool
}

// Statement is a signed list of checksums as the provider's origin published it. It can travel with the package, and
// be verified wherever it arrives. It is shared by those who hold it: do not change it.
type Statement struct {
	Sums      []byte   // the SHA256SUMS document, verbatim
	Signature []byte   // the detached binary OpenPGP signature over Sums, verbatim
	Keys      []string // the ASCII-armored public keys that the registry offers for it
}

// Claim is a hash that a source vouches for.
type Claim struct {
	Hash      Hash
	Authority Authority
	Platform  string // such as "linux_amd64"; "" when the source does not say
}

// Claims is what a source says about the hashes of one version of a provider. The zero value says nothing.
type Claims struct {
	// Package are the claims about the very package that was asked for. Empty: the source vouches for nothing.
	Package []Claim
	// Others are claims about the same version's other packages. They are fit for a lock file, but never make this
	// package acceptable.
	Others []Claim
	// Signer is who signed the Signed claims. Without a signer nothing is signed: Signed claims then count as Reported.
	Signer *Signer
	// Statement is what the Signed claims rest on; nil when nothing is signed.
	Statement *Statement
}

// Computed are the hashes of the bytes that came. An empty one was not computed; an unpacked directory has only Tree.
type Computed struct {
	Tree    Hash // h1 of the files: [Contents.Tree], [Dir]
	Entries Hash // h1 of the archive's entry list: [Contents.Entries]
	Archive Hash // zh of the archive's bytes
}

// String returns identity and fingerprint, for people.
func (s *Signer) String() string {
	text := strings.TrimPrefix(s.Identity+", key "+s.Fingerprint, ", ")
	if s.Carried {
		text += " (which came with the package)"
	}
	if !s.ExpiredAt.IsZero() {
		text += ", expired on " + s.ExpiredAt.Format(time.DateOnly)
	}
	return text
}

// Proof says how far a package was verified.
type Proof struct {
	Authority Authority // the best of the claims that matched
	Signer    *Signer   // not nil if, and only if, Authority is Signed
	Locked    bool      // a hash of the lock file matched
	Computed  Computed  // as given to Judge
	Hashes    []Hash    // fit for a lock file: sorted bytewise, each once
}

// String returns what the verification rests on, for people: "as locked, signed by Example Security, key 0123…CDEF".
func (p *Proof) String() string {
	var parts []string
	if p.Locked {
		parts = append(parts, "as locked")
	}
	switch {
	case p.Authority == Signed && p.Signer != nil:
		parts = append(parts, "signed by "+p.Signer.String())
	case p.Authority == Reported:
		parts = append(parts, "as its source reports")
	case !p.Locked:
		parts = append(parts, "unverified")
	}
	return strings.Join(parts, ", ")
}
