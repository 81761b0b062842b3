package signature

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/purveyor-dev/purveyor/hashing"
)

// minRSABits admits keys of nominally 2048 bits whose modulus came out one bit shorter.
const minRSABits = 2047

// readKey reads one offered key, if it can have made the signature; ErrUnknownIssuer says that it cannot. Its public
// keys are listed and vetted first, so that nothing is computed with those that did not sign or that are hostile.
func (d *detached) readKey(armored string) (openpgp.EntityList, error) {
	raw, err := dearmor(armored)
	if err != nil {
		return nil, d.fail(ErrMalformedKey, err)
	}
	keys, err := publicKeys(raw)
	if err != nil {
		return nil, d.fail(ErrMalformedKey, err)
	}
	if err := d.vet(keys); err != nil {
		return nil, err
	}
	ring, err := openpgp.ReadKeyRing(bytes.NewReader(raw))
	if err != nil {
		return nil, d.fail(ErrMalformedKey, err)
	}
	// An entity may have an identity that was only ever revoked: go-crypto then finds no self-signature to check.
	ring = slices.DeleteFunc(ring, func(e *openpgp.Entity) bool {
		self, _ := e.PrimarySelfSignature()
		return self == nil
	})
	if len(ring) == 0 {
		return nil, d.fail(ErrMalformedKey, errors.New("it has no user ID that it certifies itself"))
	}
	return ring, nil
}

// dearmor returns the packets of the first armored block.
func dearmor(armored string) ([]byte, error) {
	block, err := armor.Decode(strings.NewReader(armored))
	if isEOF(err) {
		return nil, errors.New("it is not ASCII-armored")
	}
	if err != nil {
		return nil, err
	}
	if block.Type != openpgp.PublicKeyType {
		return nil, fmt.Errorf("it is armored as %q, not as %q", block.Type, openpgp.PublicKeyType)
	}
	return io.ReadAll(block.Body)
}

// publicKeys lists the keys and subkeys among the packets, without verifying anything.
func publicKeys(raw []byte) ([]*packet.PublicKey, error) {
	var keys []*packet.PublicKey
	packets := packet.NewReader(bytes.NewReader(raw))
	for {
		p, err := packets.Next()
		if isEOF(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		if key, ok := p.(*packet.PublicKey); ok {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("it contains no public key of a supported kind")
	}
	return keys, nil
}

// vet says whether go-crypto may work with these keys on this signature.
func (d *detached) vet(keys []*packet.PublicKey) error {
	sig, signed := d.by(keys)
	if !signed {
		return d.fail(ErrUnknownIssuer, nil)
	}
	if sig.Hash == crypto.SHA1 {
		return d.fail(ErrWeak, errors.New("the document's digest is a SHA-1"))
	}
	for _, key := range keys {
		if err := checkCost(key); err != nil {
			return d.fail(ErrWeak, err)
		}
		if key.IsSubkey && key.KeyId != *sig.IssuerKeyId {
			continue // such as an old subkey for encryption
		}
		if err := checkStrength(key); err != nil {
			return d.fail(ErrWeak, err)
		}
	}
	return nil
}

// by returns the first signature that one of the keys can have made.
func (d *detached) by(keys []*packet.PublicKey) (*packet.Signature, bool) {
	for _, sig := range d.signatures {
		for _, key := range keys {
			if key.KeyId == *sig.IssuerKeyId {
				return sig, true
			}
		}
	}
	return nil, false
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

// describe returns who owns the key.
func describe(entity *openpgp.Entity) *hashing.Signer {
	return &hashing.Signer{
		Fingerprint: fmt.Sprintf("%X", entity.PrimaryKey.Fingerprint),
		KeyID:       keyID(entity.PrimaryKey.KeyId),
		Identity:    identity(entity),
	}
}

// identity returns the user ID to show. go-crypto's own choice among equals changes from call to call, so this decides
// by name what is left open by: certified and not revoked, flagged as primary, newest.
func identity(entity *openpgp.Entity) string {
	var best *openpgp.Identity
	for _, id := range entity.Identities {
		if id.SelfSignature == nil || len(id.Revocations) > 0 {
			continue
		}
		if best == nil || preferred(id, best) {
			best = id
		}
	}
	if best == nil {
		return ""
	}
	return best.Name
}

func preferred(a, b *openpgp.Identity) bool {
	primary := func(id *openpgp.Identity) bool {
		return id.SelfSignature.IsPrimaryId != nil && *id.SelfSignature.IsPrimaryId
	}
	if primary(a) != primary(b) {
		return primary(a)
	}
	if order := a.SelfSignature.CreationTime.Compare(b.SelfSignature.CreationTime); order != 0 {
		return order > 0
	}
	return a.Name < b.Name
}

func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
