package hashing

import (
	"fmt"
	"strings"
)

// ParseFingerprint reads the fingerprint of an OpenPGP key as people write it, and returns it as [Signer.Fingerprint] has
// it: 40 hexadecimal digits, or 64 for keys of version 6, in upper case and without the white space that may stand between
// them. The error is a [*FingerprintError]. Source: https://www.rfc-editor.org/rfc/rfc9580#section-5.5.4.
func ParseFingerprint(s string) (string, error) {
	f := strings.ToUpper(strings.Join(strings.Fields(s), ""))
	if len(f) != 40 && len(f) != 64 || strings.Trim(f, "0123456789ABCDEF") != "" {
		return "", &FingerprintError{Input: s}
	}
	return f, nil
}

// FingerprintError says that a text is not the fingerprint of a key.
type FingerprintError struct{ Input string }

func (e *FingerprintError) Error() string {
	return fmt.Sprintf("%q is not the fingerprint of a key: want 40 or 64 hexadecimal digits", clip(e.Input))
}
