package signature

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// minRSABits admits keys of nominally 2048 bits whose modulus came out one bit shorter.
const minRSABits = 2047

// readKey reads one offered key, if it can have made the signature; ErrUnknownIssuer says that it cannot. Its public
// keys are listed and vetted first, so that nothing is computed with those that did not sign or that are hostile.
func (d *detached) readKey(armored string) (openpgp.EntityList, error) {
	b, err := readBlock(armored)
	if err != nil {
		return nil, d.fail(ErrMalformedKey, err)
	}
	if err := d.vet(b); err != nil {
		return nil, err
	}
	ring, err := openpgp.ReadKeyRing(bytes.NewReader(b.raw))
	if err != nil {
		return nil, d.fail(ErrMalformedKey, err)
	}
	// An entity may have an identity that was only ever revoked: go-crypto then finds no self-signature to check.
	ring = slices.DeleteFunc(ring, func(e *openpgp.Entity) bool {
		settle(e)
		self, _ := e.PrimarySelfSignature()
		return self == nil
	})
	if len(ring) == 0 {
		return nil, d.fail(ErrMalformedKey, errors.New("it has no user ID that it certifies itself"))
	}
	return ring, nil
}

// vet says whether go-crypto may work with this key. It looks at all signatures that the key can have made and at all
// keys that can have made them: which pair go-crypto picks depends on what it verifies later.
func (d *detached) vet(b *block) error {
	made := d.madeBy(b.keys)
	if len(made) == 0 {
		return d.fail(ErrUnknownIssuer, nil)
	}
	for _, sig := range made {
		if sig.Hash == crypto.SHA1 {
			return d.fail(ErrWeak, errors.New("the document's digest is a SHA-1"))
		}
	}
	for _, key := range b.keys {
		if err := checkCost(key); err != nil {
			return d.fail(ErrWeak, err)
		}
		if key.IsSubkey && !slices.ContainsFunc(made, names(key)) {
			continue // such as an old subkey for encryption
		}
		if err := checkStrength(key); err != nil {
			return d.fail(ErrWeak, err)
		}
	}
	if d.selfSignatures += b.selfSignatures(); d.selfSignatures > MaxSelfSignatures {
		return d.fail(ErrTooLarge, fmt.Errorf("more than %d self-signatures would have to be verified", MaxSelfSignatures))
	}
	return nil
}

// madeBy returns the signatures that say that one of the keys made them.
func (d *detached) madeBy(keys []*packet.PublicKey) []*packet.Signature {
	var made []*packet.Signature
	for _, key := range keys {
		for _, sig := range d.signatures {
			if names(key)(sig) {
				made = append(made, sig)
			}
		}
	}
	return made
}

// names tells which signatures name the key as their maker.
func names(key *packet.PublicKey) func(*packet.Signature) bool {
	return func(sig *packet.Signature) bool { return *sig.IssuerKeyId == key.KeyId }
}

// checkCost refuses keys with which verifying a self-signature can take seconds or minutes: DSA with made-up parameters,
// and anything of absurd length.
func checkCost(key *packet.PublicKey) error {
	if key.PubKeyAlgo == packet.PubKeyAlgoDSA {
		return errors.New("the key is a DSA key")
	}
	if bits, err := key.BitLength(); err != nil || bits > MaxKeyBits {
		return fmt.Errorf("the key has %d bits, the limit is %d", bits, MaxKeyBits)
	}
	return nil
}

func checkStrength(key *packet.PublicKey) error {
	switch key.PubKeyAlgo {
	case packet.PubKeyAlgoRSA, packet.PubKeyAlgoRSASignOnly:
		// Counted, not asked: key.BitLength repeats what the packet declares.
		modulus, ok := key.PublicKey.(*rsa.PublicKey)
		if !ok || modulus.N.BitLen() < minRSABits {
			return fmt.Errorf("the RSA key is too short, at least %d bits are needed", minRSABits)
		}
	case packet.PubKeyAlgoElGamal:
		return errors.New("the key is an ElGamal key")
	case packet.PubKeyAlgoECDSA:
		if curve, err := key.Curve(); err != nil || curve == packet.CurveSecP256k1 {
			return errors.New("the key is on the curve secp256k1")
		}
	}
	return nil
}
