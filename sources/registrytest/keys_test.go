package registrytest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func newSigner(t *testing.T, opts registrytest.SignerOptions) *registrytest.Signer {
	t.Helper()
	s, err := registrytest.NewSigner("tester", opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verify does what a client does with alpha's keys, checksums and signature.
func verify(t *testing.T, s *registrytest.Server) error {
	t.Helper()
	doc, _ := packageOf(t, s)
	var keys openpgp.EntityList
	for _, k := range doc.SigningKeys.Keys {
		list, err := openpgp.ReadArmoredKeyRing(strings.NewReader(k.Armor))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, list...)
	}
	sums, sig := good(t, s.Client(), doc.SumsURL).body, good(t, s.Client(), doc.SignatureURL).body
	_, err := openpgp.CheckDetachedSignature(keys, bytes.NewReader(sums), bytes.NewReader(sig), nil)
	return err
}

func TestGoodSignatures(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]registrytest.SignerOptions{
		"Ed25519": {},
		"RSA":     {RSABits: 2048},
		"subkey":  {Subkey: true},
	} {
		s := serveAlpha(t, func(r *registrytest.Release) { r.Signer = newSigner(t, opts) })
		if err := verify(t, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheServersOwnKeyIsTheDefault(t *testing.T) {
	t.Parallel()
	own := newSigner(t, registrytest.SignerOptions{})
	for name, cfg := range map[string]registrytest.Config{"made": {}, "given": {Signer: own}} {
		cfg.Releases = []registrytest.Release{alpha}
		s := registrytest.New(t, cfg)
		if err := verify(t, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		doc, _ := packageOf(t, s)
		if isOwn := doc.SigningKeys.Keys[0].ID == own.KeyID(); isOwn != (name == "given") {
			t.Errorf("%s: the key is %s", name, doc.SigningKeys.Keys[0].ID)
		}
	}
}

func TestBadSignatures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts registrytest.SignerOptions
		want error
	}{
		"expired key":       {registrytest.SignerOptions{Expired: true}, pgperrors.ErrKeyExpired},
		"expired RSA key":   {registrytest.SignerOptions{Expired: true, RSABits: 2048}, pgperrors.ErrKeyExpired},
		"expired signature": {registrytest.SignerOptions{ExpiredSignature: true}, pgperrors.ErrSignatureExpired},
		"revoked key":       {registrytest.SignerOptions{Revoked: true}, pgperrors.ErrKeyRevoked},
	} {
		s := serveAlpha(t, func(r *registrytest.Release) { r.Signer = newSigner(t, tt.opts) })
		if err := verify(t, s); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
}

func TestWeakKeysAreForCarefulClients(t *testing.T) {
	t.Parallel()
	weak := newSigner(t, registrytest.SignerOptions{RSABits: 1024})
	list, err := openpgp.ReadArmoredKeyRing(strings.NewReader(weak.Armored()))
	if err != nil {
		t.Fatal(err)
	}
	if bits, err := list[0].PrimaryKey.BitLength(); err != nil || bits != 1024 {
		t.Errorf("the key has %d bits, error %v", bits, err)
	}
	var e *registrytest.Error
	if _, err := registrytest.NewSigner("tiny", registrytest.SignerOptions{RSABits: 512}); !errors.As(err, &e) {
		t.Errorf("512 bits: error %v", err)
	}
}

func TestExtraKeysComeFirst(t *testing.T) {
	t.Parallel()
	extra, signer := newSigner(t, registrytest.SignerOptions{}), newSigner(t, registrytest.SignerOptions{})
	s := serveAlpha(t, func(r *registrytest.Release) { r.ExtraKeys, r.Signer = []*registrytest.Signer{extra}, signer })
	doc, _ := packageOf(t, s)
	if keys := doc.SigningKeys.Keys; len(keys) != 2 || keys[0].ID != extra.KeyID() || keys[1].ID != signer.KeyID() {
		t.Errorf("keys are %+v", keys)
	}
	if err := verify(t, s); err != nil {
		t.Error(err)
	}
}

func TestUnsignedPublishesNoKeys(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(r *registrytest.Release) { r.Unsigned = true })
	doc, _ := packageOf(t, s)
	if doc.SigningKeys.Keys == nil || len(doc.SigningKeys.Keys) != 0 {
		t.Errorf("keys are %+v, want an empty list", doc.SigningKeys.Keys)
	}
	good(t, s.Client(), doc.SignatureURL)
}

func TestWrongSignerIsUnknown(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{WrongSigner: newSigner(t, registrytest.SignerOptions{}), Times: 1})
	if err := verify(t, s); !errors.Is(err, pgperrors.ErrUnknownIssuer) {
		t.Errorf("error %v, want %v", err, pgperrors.ErrUnknownIssuer)
	}
	if err := verify(t, s); err != nil {
		t.Errorf("after the fault: %v", err)
	}
}

func TestSignersAreIdentified(t *testing.T) {
	t.Parallel()
	s := newSigner(t, registrytest.SignerOptions{})
	list, err := openpgp.ReadArmoredKeyRing(strings.NewReader(s.Armored()))
	if err != nil || list[0].PrivateKey != nil {
		t.Fatalf("the public key: %v, with private part: %v", err, list[0].PrivateKey != nil)
	}
	if s.Name() != "tester" || len(s.Fingerprint()) != 40 || !strings.HasSuffix(s.Fingerprint(), s.KeyID()) || len(s.KeyID()) != 16 {
		t.Errorf("name %q, fingerprint %q, ID %q", s.Name(), s.Fingerprint(), s.KeyID())
	}
}
