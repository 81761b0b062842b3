package sources

import (
	"fmt"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

// Host is the normalised name of a registry, with a port if that is not 443: the first part of a [Provider]. Hosts
// compare with ==. The zero value is no host; only [ParseHost] and [HostOfURL] make others.
//
// Names are mapped by the Lookup profile of IDNA, so "Bücher.Example", "bücher.example" and "bücher.example:443" are
// one host. Source: https://opentofu.org/docs/internals/remote-service-discovery/.
type Host struct{ name hostname.Name }

// The registries that addresses come from. They are constants in all but syntax: do not assign to them.
var (
	// OpenTofuRegistry is registry.opentofu.org.
	OpenTofuRegistry = MustParseHost("registry.opentofu.org")
	// TerraformRegistry is registry.terraform.io.
	TerraformRegistry = MustParseHost("registry.terraform.io")
	// DefaultRegistry is the host of addresses that name none: [OpenTofuRegistry].
	DefaultRegistry = OpenTofuRegistry
)

// HostError says why a text is not a [Host].
type HostError struct {
	Input      string
	Reason     string // "the port must be a number from 1 to 65535"
	Suggestion string // what was probably meant; "" when that is unknown
}

func (e *HostError) Error() string {
	return fmt.Sprintf("invalid host name %q: %s", e.Input, withSuggestion(e.Reason, e.Suggestion))
}

// withSuggestion completes an error's reason.
func withSuggestion(reason, suggestion string) string {
	if suggestion == "" {
		return reason
	}
	return fmt.Sprintf("%s; did you mean %q?", reason, suggestion)
}

// ParseHost reads "registry.example.com" or "registry.example.com:8443". International names are written in Unicode,
// not in Punycode. The port is 1 to 65535 in decimal digits; 443 is dropped. IPv4 addresses are accepted, IPv6
// addresses are not. A final dot is kept and makes another host. The error is a [*HostError].
func ParseHost(s string) (Host, error) {
	name, err := hostname.Parse(s)
	if err != nil {
		reason, suggestion := explain(err)
		return Host{}, &HostError{Input: s, Reason: reason, Suggestion: suggestion}
	}
	return Host{name}, nil
}

// MustParseHost is [ParseHost] for constants of a program: it panics where that returns an error.
func MustParseHost(s string) Host { return must(ParseHost(s)) }

// String returns the Unicode form, for people, paths and lock files: "bücher.example:8443". It is "" for the zero
// value.
func (h Host) String() string { return h.name.Unicode }

// ASCII returns the Punycode form, for network requests: "xn--bcher-kva.example:8443".
func (h Host) ASCII() string { return h.name.ASCII }

// Compare orders hosts by their ASCII form, byte by byte.
func (h Host) Compare(o Host) int { return strings.Compare(h.name.ASCII, o.name.ASCII) }

// IsZero reports whether h is the zero value, which is no host.
func (h Host) IsZero() bool { return h == Host{} }

// orDefault returns the registry that completes an address: h, or for the zero value the default.
func (h Host) orDefault() Host {
	if h.IsZero() {
		return DefaultRegistry
	}
	return h
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// MarshalText returns String.
func (h Host) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText is [ParseHost]; empty text is the zero Host.
func (h *Host) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*h = Host{}
		return nil
	}
	*h, err = ParseHost(string(text))
	return err
}
