package signature

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Limits of what Verify looks at.
const (
	MaxSignatureBytes = 64 << 10  // size of a detached signature, in bytes; one takes about 600
	MaxKeys           = 32        // number of offered keys
	MaxKeyBytes       = 256 << 10 // size of one offered key, armored, in bytes; one takes 1 to 10 KiB
	MaxKeyBits        = 16384     // length of a key, in bits; beyond, verifying takes seconds

	// MaxSelfSignatures is the number of signatures that the offered keys of the right ID may have on themselves, all
	// together. One key has two or three, and some more for each time that it was renewed.
	MaxSelfSignatures = 256
)

// Verify checks that one of the ASCII-armored public keys made the detached binary signature over exactly the bytes of
// document, and that both were valid at that time; the zero time stands for now. It returns who signed.
//
// The error is an [*Error]. With [ErrExpired], and only then, the signer is returned as well: the signature is good,
// and Signer.ExpiredAt says until when it counted. The caller may accept that; no other error can be passed over.
//
// Keys are tried in order. One that did not sign is skipped, one that has expired is remembered while the rest is
// tried; any other failure ends the search. An unreadable key ends it too, as in existing clients: a registry that
// serves damaged keys is to be repaired, not guessed about. Of a key that holds several armored blocks, the first
// counts.
func Verify(document, sig []byte, armoredKeys []string, at time.Time) (*hashing.Signer, error) {
	if at.IsZero() {
		at = time.Now()
	}
	if err := checkSizes(sig, armoredKeys); err != nil {
		return nil, err
	}
	d, err := readDetached(sig)
	if err != nil {
		return nil, err
	}
	var expired *hashing.Signer
	var expiry error
	for i, key := range armoredKeys {
		signer, err := d.verify(document, key, at)
		switch {
		case err == nil:
			return signer, nil
		case errors.Is(err, ErrUnknownIssuer):
		case errors.Is(err, ErrExpired):
			if expired == nil {
				expired, expiry = signer, withKey(i, err)
			}
		default:
			return nil, withKey(i, err)
		}
	}
	if expired != nil {
		return expired, expiry
	}
	return nil, d.fail(ErrUnknownIssuer, nil)
}

// withKey says which of the offered keys an error is about.
func withKey(key int, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Key = key
	}
	return err
}

func checkSizes(sig []byte, armoredKeys []string) error {
	fail := func(reason error, format string, args ...any) error {
		return &Error{Reason: reason, Key: -1, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case len(armoredKeys) == 0:
		return fail(ErrUnsigned, "no keys are offered")
	case len(sig) == 0:
		return fail(ErrUnsigned, "the signature is empty")
	case len(sig) > MaxSignatureBytes:
		return fail(ErrTooLarge, "the signature has %d bytes, the limit is %d", len(sig), MaxSignatureBytes)
	case len(armoredKeys) > MaxKeys:
		return fail(ErrTooLarge, "%d keys are offered, the limit is %d", len(armoredKeys), MaxKeys)
	}
	for i, key := range armoredKeys {
		if len(key) > MaxKeyBytes {
			return withKey(i, fail(ErrTooLarge, "the key has %d bytes, the limit is %d", len(key), MaxKeyBytes))
		}
	}
	return nil
}

// detached is a signature file. It may hold several signatures, of which that one counts whose issuer is offered.
type detached struct {
	raw        []byte
	signatures []*packet.Signature // never empty, each names its issuer

	selfSignatures int // of the offered keys, so far
}

func readDetached(raw []byte) (*detached, error) {
	d := &detached{raw: raw}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("-----BEGIN PGP")) {
		return nil, badFormat(errors.New("it is ASCII-armored, the protocol wants the binary form"))
	}
	var unsupported error
	packets := packet.NewReader(bytes.NewReader(raw))
	for {
		p, err := packets.NextWithUnsupported()
		if err != nil {
			return d.finish(err, unsupported)
		}
		switch p := p.(type) {
		case *packet.UnsupportedPacket:
			unsupported = p.Error
		case *packet.Signature:
			if p.IssuerKeyId == nil {
				return nil, badFormat(errors.New("it does not name the key that made it"))
			}
			d.signatures = append(d.signatures, p)
		default:
			return nil, badFormat(errors.New("it contains something that is not a signature"))
		}
	}
}

// finish decides, at the end of the packets, whether there was a signature to work with.
func (d *detached) finish(end, unsupported error) (*detached, error) {
	switch {
	case !isEOF(end):
		return nil, badFormat(end)
	case len(d.signatures) > 0:
		return d, nil
	case unsupported != nil:
		return nil, &Error{Reason: ErrWeak, Key: -1, Err: unsupported}
	}
	return nil, badFormat(errors.New("it is not an OpenPGP signature"))
}

func badFormat(details error) error {
	return &Error{Reason: ErrBadSignature, Key: -1, Err: details}
}

// fail is the error about this signature.
func (d *detached) fail(reason, details error) error {
	return &Error{Reason: reason, Issuer: keyID(*d.signatures[0].IssuerKeyId), Key: -1, Err: details}
}

// verify tries one offered key.
func (d *detached) verify(document []byte, armored string, at time.Time) (*hashing.Signer, error) {
	ring, err := d.readKey(armored)
	if err != nil {
		return nil, err
	}
	config := &packet.Config{Time: func() time.Time { return at }}
	sig, entity, err := openpgp.VerifyDetachedSignature(ring, bytes.NewReader(document), bytes.NewReader(d.raw), config)
	switch {
	case err == nil:
		return describe(entity), nil
	case errors.Is(err, pgperrors.ErrUnknownIssuer):
		return nil, d.fail(ErrUnknownIssuer, nil)
	case errors.Is(err, pgperrors.ErrKeyRevoked):
		return nil, d.fail(ErrRevoked, nil)
	case errors.Is(err, pgperrors.ErrKeyExpired), errors.Is(err, pgperrors.ErrSignatureExpired):
		return d.outdated(sig, entity, at)
	}
	return nil, d.fail(ErrBadSignature, err)
}
