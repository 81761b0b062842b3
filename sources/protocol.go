package sources

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Protocol is a version of the plugin protocol between terraform or tofu and a provider, as registries state it:
// "5.1" stands for 5.0 and 5.1.
type Protocol struct{ Major, Minor int }

// ParseProtocol reads "5.0" or "5". The error matches [ErrMalformed].
func ParseProtocol(s string) (Protocol, error) {
	major, minor, found := strings.Cut(s, ".")
	if !found {
		minor = "0"
	}
	a, errA := strconv.ParseUint(major, 10, 16)
	b, errB := strconv.ParseUint(minor, 10, 16)
	if errA != nil || errB != nil {
		return Protocol{}, fmt.Errorf("%q is not a plugin protocol version: want MAJOR.MINOR, like 5.0: %w", s, ErrMalformed)
	}
	return Protocol{Major: int(a), Minor: int(b)}, nil
}

// Supported reports whether today's terraform and tofu speak the protocol: major versions 5 and 6.
func (p Protocol) Supported() bool { return p.Major == 5 || p.Major == 6 }

// String returns "5.0".
func (p Protocol) String() string { return fmt.Sprintf("%d.%d", p.Major, p.Minor) }

// Compare orders by number.
func (p Protocol) Compare(o Protocol) int {
	if p.Major != o.Major {
		return p.Major - o.Major
	}
	return p.Minor - o.Minor
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
