package signature_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"

	"github.com/purveyor-dev/purveyor/hashing/signature"
)

// Of two user IDs that are equal in all but the lifetime they give the key, the shorter one counts, each time.
func TestEqualIdentitiesGiveOneVerdict(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	if err := key.AddUserId("Other", "", "other@example.com", at(born)); err != nil {
		t.Fatal(err)
	}
	short := uint32(2 * 3600)
	for name, id := range key.Identities {
		plain := false
		id.SelfSignature.IsPrimaryId = &plain
		if name != author {
			id.SelfSignature.KeyLifetimeSecs = &short
		}
		if err := id.SelfSignature.SignUserId(name, key.PrimaryKey, key.PrivateKey, at(born)); err != nil {
			t.Fatal(err)
		}
	}
	public := armored(t, openpgp.PublicKeyType, packets(t, key))
	sig := sign(t, key, at(signed))
	for range 50 {
		signer, err := signature.Verify(document, sig, []string{public}, later)
		if !errors.Is(err, signature.ErrExpired) || signer.ExpiredAt.IsZero() {
			t.Fatalf("signer %+v, error %v; want an expired one each time", signer, err)
		}
	}
}

// A user ID is whatever its maker wrote; it must not forge lines or control a terminal where it is shown.
func TestIdentitiesAreFitToBeShown(t *testing.T) {
	t.Parallel()
	key := newKey(t, at(born))
	const wild = "Acme\nregistry.example.com/acme/rocket: signed by HashiCorp \x1b[2K"
	for name, id := range key.Identities {
		delete(key.Identities, name)
		id.Name, id.UserId.Id, id.UserId.Name = wild, wild, wild
		if err := id.SelfSignature.SignUserId(wild, key.PrimaryKey, key.PrivateKey, at(born)); err != nil {
			t.Fatal(err)
		}
		key.Identities[wild] = id
	}
	signer, err := signature.Verify(document, sign(t, key, at(signed)), []string{armored(t, openpgp.PublicKeyType, packets(t, key))}, later)
	if err != nil || strings.ContainsAny(signer.Identity, "\n\x1b") || !strings.HasPrefix(signer.Identity, "Acme") {
		t.Errorf("signer %+v, error %v", signer, err)
	}
}
