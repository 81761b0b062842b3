package signature

import (
	"errors"
	"fmt"
)

// The reasons why a signature does not count; compare with [errors.Is]. Each comes in an [*Error].
var (
	// ErrUnsigned says that there is nothing to verify: no keys were offered, or the signature is empty.
	ErrUnsigned = errors.New("not signed")

	// ErrUnknownIssuer says that none of the offered keys made the signature, or only one that may not sign.
	ErrUnknownIssuer = errors.New("signed by a key that is not among those offered")

	// ErrBadSignature says that the signature is not one of this document, or not a signature at all.
	ErrBadSignature = errors.New("bad signature")

	// ErrExpired says that the signature is good, but the key or the signature has expired since. It comes with the
	// signer.
	ErrExpired = errors.New("expired")

	// ErrNotYetValid says that the key or the signature was made after the time of verification.
	ErrNotYetValid = errors.New("made in the future")

	// ErrRevoked says that the owner of the key has revoked it.
	ErrRevoked = errors.New("revoked key")

	// ErrWeak says that the signature or its key uses an algorithm that is too weak, or one that is not supported.
	ErrWeak = errors.New("weak or unsupported algorithm")

	// ErrMalformedKey says that an offered key cannot be read. Keys after one that verified are not looked at.
	ErrMalformedKey = errors.New("malformed key")

	// ErrTooLarge says that the signature, a key, or the number of keys is beyond its limit.
	ErrTooLarge = errors.New("larger than the limit")
)

// what to do, by reason.
var advice = map[error]string{
	ErrUnsigned:      "ask the provider's author to publish a signature and its key",
	ErrUnknownIssuer: "ask whoever runs the registry to publish the author's current key",
	ErrBadSignature:  "do not use the package; if trying again does not help, report it to whoever runs the registry",
	ErrExpired:       "ask the provider's author to renew the key and publish it again",
	ErrNotYetValid:   "set this computer's clock",
	ErrRevoked:       "do not use the package; use a version signed by another key",
	ErrWeak:          "ask the provider's author to sign with a current key",
	ErrMalformedKey:  "ask whoever runs the registry to publish the key again, ASCII-armored",
	ErrTooLarge:      "ask whoever runs the registry to publish a minimal export of the author's key",
}

// Error says why a document does not count as signed.
type Error struct {
	Reason error  // one of the errors above
	Issuer string // the key ID that the signature names, 16 upper-case hexadecimal digits; "" if it is not known
	Key    int    // index of the offered key that it is about, -1 for none in particular
	Err    error  // details; nil if there are none
}

func (e *Error) Error() string {
	msg := "cannot verify the signature"
	if e.Issuer != "" {
		msg += " by key " + e.Issuer
	}
	if e.Key >= 0 {
		msg += fmt.Sprintf(" with offered key %d", e.Key+1)
	}
	msg += ": " + e.Reason.Error()
	if e.Err != nil {
		msg += fmt.Sprintf(" (%v)", e.Err)
	}
	return msg + "; " + advice[e.Reason]
}

// Unwrap returns the reason and the details.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Err}
}
