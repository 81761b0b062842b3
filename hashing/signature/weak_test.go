package signature_test

import (
	"crypto"
	//lint:ignore SA1019 keys of this kind are what the test has refused
	"crypto/dsa"
	"crypto/rsa"
	"math/big"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/purveyor-dev/purveyor/hashing/signature"
)

func TestVerifyRefusesWeakDigests(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	refused(t, signWith(t, key, crypto.SHA1), []string{public(t, key)}, signature.ErrWeak)
	md5 := sign(t, key, at(signed))
	md5[5] = 1 // header of two bytes, version, type, algorithm, digest
	refused(t, md5, []string{public(t, key)}, signature.ErrWeak)
}

// A strong signature that names a subkey for encryption is passed over by go-crypto; it must not vouch for a weak one
// after it.
func TestVerifyRefusesWeakDigestsBehindDecoys(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	decoy := &packet.Signature{
		SigType: packet.SigTypeBinary, PubKeyAlgo: key.PrimaryKey.PubKeyAlgo, Hash: crypto.SHA256,
		CreationTime: signed, IssuerKeyId: &key.Subkeys[0].PublicKey.KeyId,
	}
	disguised := *key.PrivateKey
	disguised.KeyId, disguised.Fingerprint = key.Subkeys[0].PublicKey.KeyId, key.Subkeys[0].PublicKey.Fingerprint
	if err := decoy.Sign(crypto.SHA256.New(), &disguised, nil); err != nil {
		t.Fatal(err)
	}
	sig := append(packets(t, decoy), signWith(t, key, crypto.SHA1)...)
	refused(t, sig, []string{public(t, key)}, signature.ErrWeak)
}

func TestVerifyRefusesWeakKeys(t *testing.T) {
	t.Parallel()
	short := at(born)
	short.Algorithm, short.RSABits = packet.PubKeyAlgoRSA, 1024
	curve := at(born)
	curve.Algorithm, curve.Curve = packet.PubKeyAlgoECDSA, packet.CurveSecP256k1
	for name, config := range map[string]*packet.Config{"RSA of 1024 bits": short, "secp256k1": curve} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, config)
			sig := sign(t, key, at(signed))
			refused(t, sig, []string{public(t, key)}, signature.ErrWeak)
			refused(t, sig, []string{public(t, newKey(t, at(born)))}, signature.ErrUnknownIssuer)

			// A key that is weak but did not sign is no obstacle.
			good := newKey(t, at(born))
			keys := []string{public(t, key), public(t, good)}
			if _, err := signature.Verify(document, sign(t, good, at(signed)), keys, later); err != nil {
				t.Errorf("beside a weak key: %v", err)
			}
		})
	}
}

func TestVerifyRefusesCostlyKeys(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	sig := sign(t, key, at(signed))
	absurd := new(big.Int).Lsh(big.NewInt(1), signature.MaxKeyBits)
	large := new(big.Int).Rsh(absurd, 1) // within the limit, but DSA
	for name, costly := range map[string]*packet.PublicKey{
		"DSA": packet.NewDSAPublicKey(born, &dsa.PublicKey{
			Parameters: dsa.Parameters{P: large, Q: large, G: big.NewInt(2)}, Y: big.NewInt(2),
		}),
		"RSA": packet.NewRSAPublicKey(born, &rsa.PublicKey{N: absurd, E: 65537}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// As a subkey of the key that signed, because the issuer must be in the block.
			costly.IsSubkey = true
			begun := time.Now()
			refused(t, sig, []string{public(t, key, costly)}, signature.ErrWeak)
			if spent := time.Since(begun); spent > 5*time.Second {
				t.Errorf("refusing it took %s", spent)
			}
		})
	}
}

// Certifications by other people cost nothing, so a key may have many; those by the owner are limited over all keys.
func TestVerifyLimitsSelfSignatures(t *testing.T) {
	t.Parallel()
	key, friend := newKey(t, at(born)), newKey(t, at(born))
	sig := sign(t, key, at(signed))
	with := func(certification *packet.Signature, count int) string {
		parts := []serializer{key.PrimaryKey, key.Identities[author].UserId, key.Identities[author].SelfSignature}
		for range count {
			parts = append(parts, certification)
		}
		return public(t, parts...)
	}
	own, foreign := key.Identities[author].SelfSignature, friend.Identities[author].SelfSignature
	if _, err := signature.Verify(document, sig, []string{with(foreign, signature.MaxSelfSignatures)}, later); err != nil {
		t.Errorf("with many friends: %v", err)
	}
	if _, err := signature.Verify(document, sig, []string{with(own, signature.MaxSelfSignatures-1)}, later); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	refused(t, sig, []string{with(own, signature.MaxSelfSignatures)}, signature.ErrTooLarge)
}

// TestVerifyHostileKey offers a key whose only user ID is revoked and was never certified, with a subkey that signs
// properly: there is no self-signature that says what the primary key may do.
func TestVerifyHostileKey(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	if err := key.AddSigningSubkey(at(born)); err != nil {
		t.Fatal(err)
	}
	sig := sign(t, key, at(signed))
	revocation := &packet.Signature{
		SigType: packet.SigTypeCertificationRevocation, PubKeyAlgo: key.PrimaryKey.PubKeyAlgo, Hash: crypto.SHA256,
		CreationTime: born, IssuerKeyId: &key.PrimaryKey.KeyId,
	}
	if err := revocation.SignUserId(author, key.PrimaryKey, key.PrivateKey, nil); err != nil {
		t.Fatal(err)
	}
	sub := key.Subkeys[len(key.Subkeys)-1]
	hostile := public(t, key.PrimaryKey, packet.NewUserId("Test Author", "", "author@example.com"), revocation, sub.PublicKey, sub.Sig)
	refused(t, sig, []string{hostile}, signature.ErrMalformedKey)
}

// FuzzVerify lets nothing but the key decide who signed, and nothing at all crash. Keys are armored here, so that the
// mutations reach the packets.
func FuzzVerify(f *testing.F) {
	key := newKey(f, at(born))
	if err := key.AddSigningSubkey(at(born)); err != nil {
		f.Fatal(err)
	}
	sig := sign(f, key, at(signed))
	f.Add(document, sig, packets(f, key))
	f.Add(document, signWith(f, key, crypto.SHA256), packets(f, key))
	f.Add(document, packets(f, key), sig)
	f.Add([]byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, doc, sig, raw []byte) {
		for _, text := range []string{armored(t, openpgp.PublicKeyType, raw), string(raw)} {
			signer, err := signature.Verify(doc, sig, []string{text}, later)
			if err == nil && (signer == nil || signer.Fingerprint == "" || !signer.ExpiredAt.IsZero()) {
				t.Errorf("verified, signed by %+v", signer)
			}
		}
	})
}
