package signature_test

import (
	"bytes"
	"crypto"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	rsa := at(born)
	rsa.Algorithm, rsa.RSABits = packet.PubKeyAlgoRSA, 2048
	v6 := at(born)
	v6.V6Keys, v6.Algorithm = true, packet.PubKeyAlgoEd25519
	ecdsa := at(born)
	ecdsa.Algorithm, ecdsa.Curve = packet.PubKeyAlgoECDSA, packet.CurveNistP256
	stranger := newKey(t, at(born))
	for name, config := range map[string]*packet.Config{"RSA": rsa, "Ed25519": at(born), "ECDSA": ecdsa, "version 6": v6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, config)
			sig := sign(t, key, at(signed))
			for order, keys := range map[string][]string{
				"alone":              {public(t, key)},
				"second":             {public(t, stranger), public(t, key)},
				"before a bad one":   {public(t, key), "garbage"},
				"in one block":       {public(t, stranger, key)},
				"with text around":   {"\nThe key:\n" + public(t, key) + "\nThat was it.\n"},
				"with Windows' ends": {strings.ReplaceAll(public(t, key), "\n", "\r\n")},
			} {
				signer, err := signature.Verify(document, sig, keys, later)
				if err != nil {
					t.Errorf("%s: %v", order, err)
					continue
				}
				want := hashing.Signer{
					Fingerprint: fmt.Sprintf("%X", key.PrimaryKey.Fingerprint),
					KeyID:       fmt.Sprintf("%016X", key.PrimaryKey.KeyId),
					Identity:    author,
				}
				if *signer != want {
					t.Errorf("%s: signer %+v, want %+v", order, *signer, want)
				}
			}
		})
	}
}

func TestVerifySubkey(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	if err := key.AddSigningSubkey(at(born)); err != nil {
		t.Fatal(err)
	}
	sig := sign(t, key, at(signed)) // prefers the subkey
	signer, err := signature.Verify(document, sig, []string{public(t, key)}, later)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%X", key.PrimaryKey.Fingerprint); signer.Fingerprint != want {
		t.Errorf("the fingerprint is %s, want that of the primary key, %s", signer.Fingerprint, want)
	}

	// The subkey bound to somebody else's key, without its own consent, is not theirs.
	thief := newKey(t, at(born))
	sub := key.Subkeys[len(key.Subkeys)-1]
	binding := &packet.Signature{
		SigType: packet.SigTypeSubkeyBinding, PubKeyAlgo: thief.PrimaryKey.PubKeyAlgo, Hash: crypto.SHA256,
		CreationTime: born, IssuerKeyId: &thief.PrimaryKey.KeyId, FlagsValid: true, FlagSign: true,
	}
	if err := binding.SignKey(sub.PublicKey, thief.PrivateKey, nil); err != nil {
		t.Fatal(err)
	}
	stolen := public(t, thief, sub.PublicKey, binding)
	refused(t, sig, []string{stolen}, signature.ErrMalformedKey)
}

// refused checks that the document of the tests does not count as signed, for one reason, and that the signer is given
// for that reason only that leaves a choice.
func refused(t *testing.T, sig []byte, keys []string, reason error) *signature.Error {
	t.Helper()
	signer, err := signature.Verify(document, sig, keys, later)
	var e *signature.Error
	if !errors.Is(err, reason) || !errors.As(err, &e) {
		t.Fatalf("Verify = %+v, %v; want an *Error: %v", signer, err, reason)
	}
	if (signer != nil) != (reason == signature.ErrExpired) {
		t.Errorf("the signer is %+v with %v", signer, err)
	}
	return e
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	key, stranger := newKey(t, at(born)), newKey(t, at(born))
	good, pub := sign(t, key, at(signed)), public(t, key)
	tampered := slices.Clone(good)
	tampered[len(tampered)-1] ^= 1
	other := newKey(t, at(born))
	var private bytes.Buffer
	if err := key.SerializePrivate(&private, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		sig    []byte
		keys   []string
		reason error
	}{
		{"no keys", good, nil, signature.ErrUnsigned},
		{"no signature", nil, []string{pub}, signature.ErrUnsigned},
		{"somebody else's key", good, []string{public(t, stranger)}, signature.ErrUnknownIssuer},
		{"two other keys", good, []string{public(t, stranger), public(t, other)}, signature.ErrUnknownIssuer},
		{"a changed signature", tampered, []string{pub}, signature.ErrBadSignature},
		{"a cut signature", good[:len(good)-1], []string{pub}, signature.ErrBadSignature},
		{"text", []byte("not a signature"), []string{pub}, signature.ErrBadSignature},
		{"a page for people", []byte("<!DOCTYPE html><html></html>"), []string{pub}, signature.ErrBadSignature},
		{"a key for a signature", packets(t, key), []string{pub}, signature.ErrBadSignature},
		{"an armored signature", []byte(armored(t, openpgp.SignatureType, good)), []string{pub}, signature.ErrBadSignature},
		{"a certification", packets(t, key.Identities[author].SelfSignature), []string{pub}, signature.ErrBadSignature},
		{"a damaged key first", good, []string{"garbage", pub}, signature.ErrMalformedKey},
		{"an empty key", good, []string{""}, signature.ErrMalformedKey},
		{"an empty armor", good, []string{armored(t, openpgp.PublicKeyType, nil)}, signature.ErrMalformedKey},
		{"a private key", good, []string{armored(t, openpgp.PrivateKeyType, private.Bytes())}, signature.ErrMalformedKey},
		{"a private key armored as a public one", good, []string{armored(t, openpgp.PublicKeyType, private.Bytes())}, signature.ErrMalformedKey},
		{"a private key among public ones", good, []string{armored(t, openpgp.PublicKeyType, append(packets(t, key), private.Bytes()...))}, signature.ErrMalformedKey},
		{"a key armored as a message", good, []string{armored(t, "PGP MESSAGE", packets(t, key))}, signature.ErrMalformedKey},
		{"a key without user ID", good, []string{public(t, key.PrimaryKey)}, signature.ErrMalformedKey},
		{"a cut key", good, []string{armored(t, openpgp.PublicKeyType, packets(t, key)[:90])}, signature.ErrMalformedKey},
		{"a signature without end", make([]byte, signature.MaxSignatureBytes+1), []string{pub}, signature.ErrTooLarge},
		{"a key without end", good, []string{pub + strings.Repeat("\n", signature.MaxKeyBytes)}, signature.ErrTooLarge},
		{"keys without end", good, make([]string, signature.MaxKeys+1), signature.ErrTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := refused(t, test.sig, test.keys, test.reason)
			if e.Reason != test.reason || !strings.Contains(e.Error(), test.reason.Error()) {
				t.Errorf("the error is %v", e)
			}
		})
	}
}

func TestVerifyRefusesAnotherDocument(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	changed := append(slices.Clone(document), '\n')
	signer, err := signature.Verify(changed, sign(t, key, at(signed)), []string{public(t, key)}, later)
	if !errors.Is(err, signature.ErrBadSignature) || signer != nil {
		t.Errorf("Verify = %v, %v; want %v", signer, err, signature.ErrBadSignature)
	}
}

func TestErrorNamesTheKey(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	sig := sign(t, key, at(signed))
	e := refused(t, sig, []string{public(t, newKey(t, at(born))), "garbage"}, signature.ErrMalformedKey)
	if e.Key != 1 || !strings.Contains(e.Error(), "offered key 2") {
		t.Errorf("key %d: %v", e.Key, e)
	}
	e = refused(t, sig, []string{public(t, newKey(t, at(born)))}, signature.ErrUnknownIssuer)
	if want := fmt.Sprintf("%016X", key.PrimaryKey.KeyId); e.Key != -1 || e.Issuer != want {
		t.Errorf("key %d, issuer %s, want %s: %v", e.Key, e.Issuer, want, e)
	}
}

func TestVerifyExpired(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60
	shortKey := at(born)
	shortKey.KeyLifetimeSecs = 10 * day
	shortSig := at(signed)
	shortSig.SigLifetimeSecs = 2 * day
	lasting, short := newKey(t, at(born)), newKey(t, shortKey)
	tenDays, twoDays := born.AddDate(0, 0, 10), signed.AddDate(0, 0, 2)
	for _, test := range []struct {
		name    string
		sig     []byte
		key     *openpgp.Entity
		expired time.Time
	}{
		{"key", sign(t, short, at(signed)), short, tenDays},
		{"signature", sign(t, lasting, shortSig), lasting, twoDays},
		{"both, the signature first", sign(t, short, shortSig), short, twoDays},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			keys := []string{public(t, test.key)}
			signer, err := signature.Verify(document, test.sig, keys, later)
			if !errors.Is(err, signature.ErrExpired) || signer == nil {
				t.Fatalf("Verify = %v, %v; want the signer and %v", signer, err, signature.ErrExpired)
			}
			if !signer.ExpiredAt.Equal(test.expired) || signer.Identity != author {
				t.Errorf("signer %+v, want it expired at %s", *signer, test.expired)
			}
			if signer, err := signature.Verify(document, test.sig, keys, test.expired); err != nil || !signer.ExpiredAt.IsZero() {
				t.Errorf("in its last second: %+v, %v", signer, err)
			}
			changed := append(slices.Clone(document), '\n')
			if signer, err := signature.Verify(changed, test.sig, keys, later); !errors.Is(err, signature.ErrBadSignature) || signer != nil {
				t.Errorf("of another document: %v, %v", signer, err)
			}
		})
	}
}

func TestVerifyPrefersTheRenewedKey(t *testing.T) {
	t.Parallel()
	config := at(born)
	config.KeyLifetimeSecs = 60 * 60 * 24
	key := newKey(t, config)
	sig, old := sign(t, key, at(signed)), public(t, key)
	if e := refused(t, sig, []string{public(t, newKey(t, at(born))), old}, signature.ErrExpired); e.Key != 1 {
		t.Errorf("the error is about key %d: %v", e.Key, e)
	}

	self := key.Identities[author].SelfSignature
	self.KeyLifetimeSecs, self.CreationTime = nil, signed
	if err := self.SignUserId(author, key.PrimaryKey, key.PrivateKey, at(signed)); err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]string{{old, public(t, key)}, {public(t, key), old}} {
		if signer, err := signature.Verify(document, sig, keys, later); err != nil || !signer.ExpiredAt.IsZero() {
			t.Errorf("Verify = %+v, %v", signer, err)
		}
	}
}

func TestVerifyNotYetValid(t *testing.T) {
	t.Parallel()
	refused(t, sign(t, newKey(t, at(born)), at(signed)), []string{public(t, newKey(t, at(born)))}, signature.ErrUnknownIssuer)
	future := later.Add(time.Minute)
	key := newKey(t, at(born))
	refused(t, sign(t, key, at(future)), []string{public(t, key)}, signature.ErrNotYetValid)
	key = newKey(t, at(future))
	refused(t, sign(t, key, at(future)), []string{public(t, key)}, signature.ErrNotYetValid)
}

func TestVerifyRevoked(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(*openpgp.Entity) error{
		"the key": func(key *openpgp.Entity) error {
			return key.RevokeKey(packet.KeySuperseded, "", at(signed.Add(time.Hour)))
		},
		"the subkey": func(key *openpgp.Entity) error {
			return key.RevokeSubkey(&key.Subkeys[len(key.Subkeys)-1], packet.KeyCompromised, "", at(signed.Add(time.Hour)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, at(born))
			if err := key.AddSigningSubkey(at(born)); err != nil {
				t.Fatal(err)
			}
			sig := sign(t, key, at(signed))
			if err := revoke(key); err != nil {
				t.Fatal(err)
			}
			refused(t, sig, []string{public(t, key)}, signature.ErrRevoked)
		})
	}
}
