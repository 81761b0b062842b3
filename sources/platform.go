package sources

import (
	"cmp"
	"encoding"
	"fmt"
	"runtime"
	"strings"
)

// Platform is an operating system and a processor architecture, in the words of the Go toolchain; for example linux
// and arm64. It is written "linux_arm64". Platforms compare with ==.
//
// Its fields become parts of paths: values from outside belong through [ParsePlatform].
type Platform struct{ OS, Arch string }

// PlatformSyntaxError says why a text is not a [Platform].
type PlatformSyntaxError struct{ Input string }

func (e *PlatformSyntaxError) Error() string {
	return fmt.Sprintf("invalid platform %q: a platform has the form os_arch, in lower-case letters and digits, "+
		"like linux_amd64", e.Input)
}

// ParsePlatform reads "os_arch": two words of lower-case ASCII letters and digits. They need not be known. The error
// is a [*PlatformSyntaxError].
func ParsePlatform(s string) (Platform, error) {
	os, arch, _ := strings.Cut(s, "_")
	if !isPlatformWord(os) || !isPlatformWord(arch) {
		return Platform{}, &PlatformSyntaxError{Input: s}
	}
	return Platform{OS: os, Arch: arch}, nil
}

func isPlatformWord(s string) bool {
	outside := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return s != "" && !strings.ContainsFunc(s, outside)
}

// CurrentPlatform returns the platform that this program was built for.
func CurrentPlatform() Platform { return Platform{OS: runtime.GOOS, Arch: runtime.GOARCH} }

// String returns "os_arch", and "" for the zero value.
func (p Platform) String() string {
	if p.IsZero() {
		return ""
	}
	return p.OS + "_" + p.Arch
}

// Compare orders platforms by operating system, then architecture.
func (p Platform) Compare(o Platform) int {
	return cmp.Or(strings.Compare(p.OS, o.OS), strings.Compare(p.Arch, o.Arch))
}

// IsZero reports whether p is the zero value, which is no platform.
func (p Platform) IsZero() bool { return p == Platform{} }

// MarshalText returns String.
func (p Platform) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is [ParsePlatform]; "" is the zero value.
func (p *Platform) UnmarshalText(text []byte) error { return unmarshal(p, text, ParsePlatform) }

var (
	_ encoding.TextMarshaler   = Platform{}
	_ encoding.TextUnmarshaler = (*Platform)(nil)
)
