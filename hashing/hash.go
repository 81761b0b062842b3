package hashing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// The schemes that this package can compute.
const (
	SchemeH1 = "h1" // contents: Go's directory hash number 1, in standard base64
	SchemeZH = "zh" // zip archive: SHA-256 of its bytes, in lower-case hexadecimal
)

// Hash is a hash of a package in the form "<scheme>:<value>". Two hashes are the same when they are equal as strings,
// which is why [ParseHash] gives each digest of a known scheme one spelling. The zero value is no hash.
type Hash string

// ParseHash reads "<scheme>:<value>". The scheme must not be empty. The value of a known scheme must be well formed:
// 64 hexadecimal digits for "zh" (upper case is folded to lower), the standard base64 of 32 bytes for "h1". Values of
// other schemes are kept as they are. The error is a [*SyntaxError].
func ParseHash(s string) (Hash, error) {
	scheme, value, found := strings.Cut(s, ":")
	if !found || scheme == "" {
		return "", &SyntaxError{Text: s, Reason: `must be "<scheme>:<value>", such as "h1:…" or "zh:…"`}
	}
	switch scheme {
	case SchemeZH:
		sum, ok := parseHex(value)
		if !ok {
			return "", &SyntaxError{Text: s, Reason: "the value of a zh hash must be 64 hexadecimal digits"}
		}
		return ZH(sum), nil
	case SchemeH1:
		if !isH1Value(value) {
			return "", &SyntaxError{Text: s, Reason: "the value of an h1 hash must be the base64 of 32 bytes"}
		}
	}
	return Hash(s), nil
}

// ZH returns the "zh" hash of an archive whose bytes have this SHA-256.
func ZH(sum [sha256.Size]byte) Hash {
	return Hash(SchemeZH + ":" + hex.EncodeToString(sum[:]))
}

// h1 returns the "h1" hash whose summary has this SHA-256.
func h1(sum [sha256.Size]byte) Hash {
	return Hash(SchemeH1 + ":" + base64.StdEncoding.EncodeToString(sum[:]))
}

// Scheme returns the part before the first colon, "" for the zero value.
func (h Hash) Scheme() string {
	scheme, _, found := strings.Cut(string(h), ":")
	if !found {
		return ""
	}
	return scheme
}

// Value returns the part after the first colon.
func (h Hash) Value() string {
	_, value, _ := strings.Cut(string(h), ":")
	return value
}

// Known reports whether the scheme is one that this package can compute, and hence judge.
func (h Hash) Known() bool {
	scheme := h.Scheme()
	return scheme == SchemeH1 || scheme == SchemeZH
}

// String returns the hash as it stands in a lock file.
func (h Hash) String() string { return string(h) }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return []byte(h), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with the rules of [ParseHash]; an empty text is an error.
func (h *Hash) UnmarshalText(text []byte) error {
	parsed, err := ParseHash(string(text))
	if err != nil {
		return err
	}
	*h = parsed
	return nil
}

// parseHex reads a SHA-256 written in hexadecimal, in either case.
func parseHex(s string) (sum [sha256.Size]byte, ok bool) {
	if len(s) != hex.EncodedLen(len(sum)) {
		return sum, false
	}
	_, err := hex.Decode(sum[:], []byte(s))
	return sum, err == nil
}

// isH1Value insists on canonical base64: without it, one digest would have several spellings. The length is checked
// first because the decoder skips line breaks.
func isH1Value(s string) bool {
	if len(s) != base64.StdEncoding.EncodedLen(sha256.Size) {
		return false
	}
	sum, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && len(sum) == sha256.Size
}

// sorted returns the hashes as a set: sorted bytewise, each once, without the zero value.
func sorted(hashes []Hash) []Hash {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	if len(hashes) > 0 && hashes[0] == "" {
		hashes = hashes[1:]
	}
	return hashes
}
