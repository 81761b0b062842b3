package signature

import (
	"fmt"

	"github.com/ProtonMail/go-crypto/openpgp"

	"github.com/purveyor-dev/purveyor/hashing"
)

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
