package registrytest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// SignerOptions choose the kind of key that [NewSigner] makes. The zero value is a good Ed25519 key.
type SignerOptions struct {
	// RSABits, when not zero, makes an RSA key of that many bits, at least 1024; careful clients want 2048 or more.
	RSABits int

	// Subkey signs with a subkey instead of the primary key, as large publishers do.
	Subkey bool

	// Expired makes the key one that was valid when it signed and has expired since.
	Expired bool

	// ExpiredSignature makes the signatures, not the key, ones that were valid for a while and have expired since.
	ExpiredSignature bool

	// Revoked makes the published key one that its owner has since revoked as compromised.
	Revoked bool
}

// The life of an expired key: made long ago, used a little later, dead well before today.
const (
	expiredKeyAge  = 2 * 365 * 24 * time.Hour
	expiredKeyLife = 365 * 24 * time.Hour
	signedAfter    = 24 * time.Hour
)

// Signer is an OpenPGP key that signs checksum documents, see https://www.rfc-editor.org/rfc/rfc4880.
// It is safe for concurrent use.
type Signer struct {
	name   string
	armor  string
	config packet.Config // for signatures

	mu     sync.Mutex
	entity *openpgp.Entity
}

// NewSigner makes a new key whose user ID is name.
func NewSigner(name string, opts SignerOptions) (*Signer, error) {
	s, err := newSigner(name, opts)
	if err != nil {
		return nil, &Error{Op: "make key", What: name, Err: err}
	}
	return s, nil
}

func newSigner(name string, opts SignerOptions) (*Signer, error) {
	config, err := keyConfig(opts)
	if err != nil {
		return nil, err
	}
	entity, err := openpgp.NewEntity(name, "", "", config)
	if err != nil {
		return nil, err
	}
	if opts.Subkey {
		if err := entity.AddSigningSubkey(config); err != nil {
			return nil, err
		}
	}
	published := entity
	if opts.Revoked {
		if published, err = revokedCopy(entity); err != nil {
			return nil, err
		}
	}
	text, err := armored(published)
	if err != nil {
		return nil, err
	}
	return &Signer{name: name, armor: text, config: signatureConfig(opts), entity: entity}, nil
}

// keyConfig says how to make the key. The legacy form of Ed25519 is the one that all clients in use can verify.
func keyConfig(opts SignerOptions) (*packet.Config, error) {
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}
	if opts.RSABits != 0 {
		if opts.RSABits < 1024 {
			return nil, fmt.Errorf("RSABits is %d; it must be at least 1024", opts.RSABits)
		}
		config.Algorithm, config.RSABits = packet.PubKeyAlgoRSA, opts.RSABits
	}
	if opts.Expired {
		config.KeyLifetimeSecs = uint32(expiredKeyLife / time.Second)
	}
	if opts.Expired || opts.ExpiredSignature {
		made := time.Now().Add(-expiredKeyAge)
		config.Time = func() time.Time { return made }
	}
	return config, nil
}

func signatureConfig(opts SignerOptions) packet.Config {
	config := packet.Config{}
	if opts.Expired || opts.ExpiredSignature {
		signed := time.Now().Add(-expiredKeyAge + signedAfter)
		config.Time = func() time.Time { return signed }
	}
	if opts.ExpiredSignature {
		config.SigLifetimeSecs = uint32(signedAfter / time.Second)
	}
	return config
}

// revokedCopy returns entity with a revocation: a copy, because a revoked key would refuse to sign.
func revokedCopy(entity *openpgp.Entity) (*openpgp.Entity, error) {
	var buf bytes.Buffer
	if err := entity.SerializePrivateWithoutSigning(&buf, nil); err != nil {
		return nil, err
	}
	revoked, err := openpgp.ReadEntity(packet.NewReader(&buf))
	if err != nil {
		return nil, err
	}
	return revoked, revoked.RevokeKey(packet.KeyCompromised, "lost", nil)
}

func armored(entity *openpgp.Entity) (string, error) {
	var buf bytes.Buffer
	w, err := armor.Encode(&buf, openpgp.PublicKeyType, nil)
	if err != nil {
		return "", err
	}
	if err := errors.Join(entity.Serialize(w), w.Close()); err != nil {
		return "", err
	}
	return buf.String(), nil
}

// Name returns the name the key was made with.
func (s *Signer) Name() string { return s.name }

// Armored returns the public key in ASCII armor, as the registry publishes it.
func (s *Signer) Armored() string { return s.armor }

// Fingerprint returns the primary key's fingerprint in upper-case hexadecimal.
func (s *Signer) Fingerprint() string {
	return strings.ToUpper(fmt.Sprintf("%x", s.entity.PrimaryKey.Fingerprint))
}

// KeyID returns the primary key's 64-bit ID in upper-case hexadecimal, the registry's key_id.
func (s *Signer) KeyID() string { return s.entity.PrimaryKey.KeyIdString() }

// Sign returns a binary detached signature over document.
func (s *Signer) Sign(document []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sig bytes.Buffer
	if err := openpgp.DetachSign(&sig, s.entity, bytes.NewReader(document), &s.config); err != nil {
		return nil, &Error{Op: "sign with", What: s.name, Err: err}
	}
	return sig.Bytes(), nil
}
