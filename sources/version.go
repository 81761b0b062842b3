package sources

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"slices"
	"strings"

	goversion "github.com/hashicorp/go-version"
)

// Version is the version of a provider: three numbers, perhaps a prerelease and build metadata, as in Semantic
// Versioning 2.0 (https://semver.org). Versions compare with ==, which also compares metadata. The zero value is
// 0.0.0, "unspecified", which no [Constraints] allow; only the parsers make others, so a version is safe in paths.
type Version struct {
	major, minor, patch int64
	prerelease          string // without the leading dash
	metadata            string // without the leading plus
}

// VersionError says why a text is not a [Version].
type VersionError struct {
	Input  string
	Reason string // `a version has no prefix "v"`
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("invalid version %q: %s", e.Input, e.Reason)
}

// ParseVersion reads a version. Missing numbers are zero ("1.2" is 1.2.0) and leading zeros are dropped; an empty
// prerelease or metadata ("1.2.0-", "1.2.0+") is none. There are no spaces and no prefix "v". Numbers go up to 2⁶³-1.
// The error is a [*VersionError].
func ParseVersion(s string) (Version, error) {
	v, err := parseVersion(trimEmptySuffix(s))
	if err != nil {
		return Version{}, &VersionError{Input: s, Reason: err.Error()}
	}
	return v, nil
}

// MustParseVersion is [ParseVersion] for constants of a program: it panics where that returns an error.
func MustParseVersion(s string) Version { return must(ParseVersion(s)) }

// trimEmptySuffix drops the sign of an empty prerelease or of empty metadata.
func trimEmptySuffix(s string) string {
	if core, ok := strings.CutSuffix(s, "-"); ok && !strings.ContainsAny(core, "-+") {
		return core
	}
	if rest, ok := strings.CutSuffix(s, "+"); ok && !strings.Contains(rest, "+") {
		return rest
	}
	return s
}

// parseVersion reads what both version parsers of the existing clients understand, and understand alike: the language
// of go-version without its prefix, its tilde and its fourth number.
func parseVersion(s string) (Version, error) {
	parsed, err := goversion.NewSemver(s)
	switch {
	case strings.HasPrefix(s, "v"):
		return Version{}, errVersionPrefix
	case err != nil || strings.Contains(s, "~"):
		return Version{}, errVersionSyntax
	}
	numbers := parsed.Segments64()
	if len(numbers) > 3 {
		return Version{}, errVersionNumbers
	}
	return Version{numbers[0], numbers[1], numbers[2], parsed.Prerelease(), parsed.Metadata()}, nil
}

// Reasons for the typed errors of the callers.
var (
	errVersionPrefix  = errors.New(`a version has no prefix "v"`)
	errVersionSyntax  = errors.New("a version is written like 1.2.3, 1.2.3-beta.1 or 1.2.3+build, with numbers below 2⁶³")
	errVersionNumbers = errors.New("a version has at most three numbers")
)

// String returns the canonical form: three numbers, "-" and the prerelease, "+" and the metadata, if there are any.
func (v Version) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
	return s + v.suffix()
}

func (v Version) suffix() string {
	s := ""
	if v.prerelease != "" {
		s += "-" + v.prerelease
	}
	if v.metadata != "" {
		s += "+" + v.metadata
	}
	return s
}

// Prerelease returns what follows the first dash, "beta.1" of 1.2.3-beta.1, or "" for a release.
func (v Version) Prerelease() string { return v.prerelease }

// Metadata returns what follows the plus, "build" of 1.2.3+build, or "".
func (v Version) Metadata() string { return v.metadata }

// IsZero reports whether v is the zero value, the unspecified version 0.0.0.
func (v Version) IsZero() bool { return v == Version{} }

// Compare orders versions by the precedence of Semantic Versioning 2.0, section 11: a prerelease comes before its
// release. Versions of one precedence are ordered by the bytes of prerelease ("01" and "1") and metadata, which have
// no meaning, so that the order is the same everywhere and only equal versions compare as 0.
func (v Version) Compare(o Version) int {
	return cmp.Or(
		v.comparePrecedence(o),
		strings.Compare(v.prerelease, o.prerelease),
		strings.Compare(v.metadata, o.metadata),
	)
}

// comparePrecedence implements https://semver.org/#spec-item-11.
func (v Version) comparePrecedence(o Version) int {
	return cmp.Or(
		cmp.Compare(v.major, o.major),
		cmp.Compare(v.minor, o.minor),
		cmp.Compare(v.patch, o.patch),
		comparePrereleases(v.prerelease, o.prerelease),
	)
}

func comparePrereleases(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return +1
	case b == "":
		return -1
	}
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), compareIdentifiers)
}

// compareIdentifiers orders numbers, of any length, before words.
func compareIdentifiers(a, b string) int {
	switch aNumber, bNumber := isNumber(a), isNumber(b); {
	case aNumber && bNumber:
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	case aNumber:
		return -1
	case bNumber:
		return +1
	}
	return strings.Compare(a, b)
}

func isNumber(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// MarshalText returns String.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is [ParseVersion]; "" is the zero value.
func (v *Version) UnmarshalText(text []byte) error { return unmarshal(v, text, ParseVersion) }

var (
	_ encoding.TextMarshaler   = Version{}
	_ encoding.TextUnmarshaler = (*Version)(nil)
)
