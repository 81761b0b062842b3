package signature

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// block is an offered key as read from its armor, with nothing verified.
type block struct {
	raw        []byte
	keys       []*packet.PublicKey // primary keys and subkeys
	signatures []*packet.Signature // of the owner and of others
}

func readBlock(armored string) (*block, error) {
	raw, err := dearmor(armored)
	if err != nil {
		return nil, err
	}
	b := &block{raw: raw}
	packets := packet.NewReader(bytes.NewReader(raw))
	for {
		p, err := packets.Next()
		if isEOF(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch p := p.(type) {
		case *packet.PublicKey:
			b.keys = append(b.keys, p)
		case *packet.Signature:
			b.signatures = append(b.signatures, p)
		case *packet.PrivateKey: // go-crypto would use its public half
			return nil, errors.New("it contains a private key")
		}
	}
	if len(b.keys) == 0 {
		return nil, errors.New("it contains no public key of a supported kind")
	}
	return b, nil
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

// selfSignatures counts the signatures that go-crypto verifies: all but those of other people on a user ID.
func (b *block) selfSignatures() int {
	count := 0
	for _, sig := range b.signatures {
		if !isCertification(sig) || slices.ContainsFunc(b.keys, sig.CheckKeyIdOrFingerprint) {
			count++
		}
	}
	return count
}

func isCertification(sig *packet.Signature) bool {
	switch sig.SigType {
	case packet.SigTypeGenericCert, packet.SigTypePersonaCert, packet.SigTypeCasualCert, packet.SigTypePositiveCert,
		packet.SigTypeCertificationRevocation:
		return true
	}
	return false
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }
