package signature

import (
	"errors"
	"fmt"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/purveyor-dev/purveyor/hashing"
)

// period is how long a key or a signature counts; a zero until means for ever.
type period struct{ from, until time.Time }

// outdated explains a signature that is good but was not valid at the time: go-crypto has one error for "no more" and
// for "not yet", but only the former can be accepted.
func (d *detached) outdated(sig *packet.Signature, entity *openpgp.Entity, at time.Time) (*hashing.Signer, error) {
	var ended time.Time
	for _, p := range periods(sig, entity) {
		if p.from.Unix() > at.Unix() {
			return nil, d.fail(ErrNotYetValid, fmt.Errorf("on %s", p.from.UTC().Format(time.DateTime)))
		}
		if !p.until.IsZero() && p.until.Unix() < at.Unix() && (ended.IsZero() || p.until.Before(ended)) {
			ended = p.until
		}
	}
	if ended.IsZero() {
		return nil, d.fail(ErrBadSignature, errors.New("it is not valid now, and nothing says since when"))
	}
	signer := describe(entity)
	signer.ExpiredAt = ended.UTC()
	return signer, d.fail(ErrExpired, fmt.Errorf("on %s", signer.ExpiredAt.Format(time.DateTime)))
}

// periods lists all that has to be valid: the signature, the primary key with its self-signature and, if a subkey
// signed, that with its bindings.
func periods(sig *packet.Signature, entity *openpgp.Entity) []period {
	self, _ := entity.PrimarySelfSignature()
	all := []period{ofSignature(sig), ofKey(entity.PrimaryKey, self), ofSignature(self)}
	for _, sub := range entity.Subkeys {
		if sub.PublicKey.KeyId == *sig.IssuerKeyId {
			all = append(all, ofKey(sub.PublicKey, sub.Sig), ofSignature(sub.Sig))
			if sub.Sig.EmbeddedSignature != nil {
				all = append(all, ofSignature(sub.Sig.EmbeddedSignature))
			}
		}
	}
	return all
}

func ofSignature(sig *packet.Signature) period {
	return lasting(sig.CreationTime, sig.SigLifetimeSecs)
}

// ofKey takes the lifetime from the signature that binds the key.
func ofKey(key *packet.PublicKey, binding *packet.Signature) period {
	return lasting(key.CreationTime, binding.KeyLifetimeSecs)
}

func lasting(from time.Time, seconds *uint32) period {
	if seconds == nil || *seconds == 0 {
		return period{from: from}
	}
	return period{from: from, until: from.Add(time.Duration(*seconds) * time.Second)}
}
