package sources

import (
	"cmp"
	"encoding"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Protocol is a version of the plugin protocol between terraform or tofu and a provider, as registries state it:
// "5.1" stands for 5.0 and 5.1.
type Protocol struct{ Major, Minor int }

// ProtocolSyntaxError says that a text is not a [Protocol].
type ProtocolSyntaxError struct{ Input string }

func (e *ProtocolSyntaxError) Error() string {
	return fmt.Sprintf("invalid plugin protocol version %q: want MAJOR.MINOR, like 5.0", e.Input)
}

// ParseProtocol reads "5.0" or "5", of numbers up to 65535. The error is a [*ProtocolSyntaxError].
func ParseProtocol(s string) (Protocol, error) {
	major, minor, found := strings.Cut(s, ".")
	if !found {
		minor = "0"
	}
	a, errA := strconv.ParseUint(major, 10, 16)
	b, errB := strconv.ParseUint(minor, 10, 16)
	if errA != nil || errB != nil {
		return Protocol{}, &ProtocolSyntaxError{Input: s}
	}
	return Protocol{Major: int(a), Minor: int(b)}, nil
}

// Supported reports whether today's terraform and tofu speak the protocol: major versions 5 and 6.
func (p Protocol) Supported() bool { return p.Major == 5 || p.Major == 6 }

// String returns "5.0".
func (p Protocol) String() string { return fmt.Sprintf("%d.%d", p.Major, p.Minor) }

// MarshalText returns String.
func (p Protocol) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is [ParseProtocol].
func (p *Protocol) UnmarshalText(text []byte) (err error) {
	*p, err = ParseProtocol(string(text))
	return err
}

var (
	_ encoding.TextMarshaler   = Protocol{}
	_ encoding.TextUnmarshaler = (*Protocol)(nil)
)

// Compare orders by number.
func (p Protocol) Compare(o Protocol) int {
	return cmp.Or(cmp.Compare(p.Major, o.Major), cmp.Compare(p.Minor, o.Minor))
}

// ProtocolError says that a package speaks no plugin protocol that terraform and tofu support. It is not an error of
// absence: another source's package of the same version would speak the same protocols.
type ProtocolError struct {
	Offered []Protocol // by the package, never empty
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("the package speaks plugin protocol %s; terraform and tofu need 5.x or 6.x", joinStrings(e.Offered))
}

// CheckProtocols returns a [*ProtocolError] when none of the protocols is supported. A package that states none is
// taken to be usable.
func CheckProtocols(offered []Protocol) error {
	if len(offered) == 0 || slices.ContainsFunc(offered, Protocol.Supported) {
		return nil
	}
	return &ProtocolError{Offered: slices.Clone(offered)}
}
