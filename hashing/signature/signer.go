package signature

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode"

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

// identity returns the user ID to show; settle has left one.
func identity(entity *openpgp.Entity) string {
	for _, id := range entity.Identities {
		return strings.Map(printable, id.Name)
	}
	return ""
}

// printable drops what could forge lines or control a terminal: a user ID is whatever its maker wrote.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// settle leaves an entity the one identity whose self-signature counts: certified and not revoked, flagged as primary,
// newest. go-crypto chooses by the same rules but takes any among equals, another from call to call, which would make
// verdicts about expiry a matter of luck; here the one that ends first counts.
func settle(entity *openpgp.Entity) {
	var best *openpgp.Identity
	for _, id := range entity.Identities {
		if id.SelfSignature == nil || len(id.Revocations) > 0 {
			continue
		}
		if best == nil || preferred(id, best) {
			best = id
		}
	}
	if best != nil {
		entity.Identities = map[string]*openpgp.Identity{best.Name: best}
	}
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
	if order := cmp.Compare(lifetime(a), lifetime(b)); order != 0 {
		return order < 0
	}
	return a.Name < b.Name
}

// lifetime returns the seconds that the key lasts by a self-signature, or that the self-signature itself lasts.
func lifetime(id *openpgp.Identity) uint32 {
	shortest := uint32(math.MaxUint32)
	for _, seconds := range []*uint32{id.SelfSignature.KeyLifetimeSecs, id.SelfSignature.SigLifetimeSecs} {
		if seconds != nil && *seconds > 0 {
			shortest = min(shortest, *seconds)
		}
	}
	return shortest
}

func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }
