package signature_test

import (
	"bytes"
	"crypto"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// When the keys of the tests are made, and when they sign.
var (
	born   = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	signed = born.Add(time.Hour)
	later  = born.AddDate(1, 0, 0)
)

var document = []byte(strings.Repeat("0", 64) + "  terraform-provider-example_1.0.0_linux_amd64.zip\n")

const author = "Test Author <author@example.com>"

// at returns the configuration for something done at a time.
func at(t time.Time) *packet.Config {
	return &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return t }}
}

func newKey(t testing.TB, config *packet.Config) *openpgp.Entity {
	t.Helper()
	key, err := openpgp.NewEntity("Test Author", "", "author@example.com", config)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t testing.TB, key *openpgp.Entity, config *packet.Config) []byte {
	t.Helper()
	var buffer bytes.Buffer
	if err := openpgp.DetachSign(&buffer, key, bytes.NewReader(document), config); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// signWith signs with a digest that openpgp.DetachSign no longer offers.
func signWith(t testing.TB, key *openpgp.Entity, hash crypto.Hash) []byte {
	t.Helper()
	sig := &packet.Signature{
		SigType: packet.SigTypeBinary, PubKeyAlgo: key.PrimaryKey.PubKeyAlgo, Hash: hash,
		CreationTime: signed, IssuerKeyId: &key.PrimaryKey.KeyId,
	}
	h := hash.New()
	h.Write(document)
	config := &packet.Config{NonDeterministicSignaturesViaNotation: packet.BoolPointer(false)} // its salt has no room in SHA-1
	if err := sig.Sign(h, key.PrivateKey, config); err != nil {
		t.Fatal(err)
	}
	return packets(t, sig)
}

type serializer interface{ Serialize(io.Writer) error }

// packets writes OpenPGP packets, or whole keys without their private parts.
func packets(t testing.TB, parts ...serializer) []byte {
	t.Helper()
	var buffer bytes.Buffer
	for _, part := range parts {
		if err := part.Serialize(&buffer); err != nil {
			t.Fatal(err)
		}
	}
	return buffer.Bytes()
}

func armored(t testing.TB, kind string, raw []byte) string {
	t.Helper()
	var text strings.Builder
	w, err := armor.Encode(&text, kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func public(t testing.TB, keys ...serializer) string {
	t.Helper()
	return armored(t, openpgp.PublicKeyType, packets(t, keys...))
}
