package sources

import (
	"encoding"
	"fmt"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

// Pattern selects providers for a source, in the include and exclude lists of the CLI configuration:
//
//	host/namespace/type    host/namespace/*    host/*/*    */*/*
//	namespace/type         namespace/*         */*
//
// A wildcard stands for a whole part, and only wildcards follow it. Two parts are on the default registry, "*/*"
// included: every provider is "*/*/*". Patterns compare with ==. The zero value matches nothing.
// Source: https://opentofu.org/docs/cli/config/config-file/#provider-installation.
type Pattern struct {
	host            Host   // zero: any
	namespace, kind string // in normal form, or wildcard
}

const wildcard = "*"

// PatternError says why a text is not a [Pattern].
type PatternError struct {
	Input  string
	Reason string // "the wildcard for the namespace must be followed by one for the type"
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("invalid provider pattern %q: %s", e.Input, e.Reason)
}

// ParsePattern reads a pattern; two parts are on [DefaultRegistry]. The error is a [*PatternError].
func ParsePattern(s string) (Pattern, error) { return ParsePatternIn(Host{}, s) }

// ParsePatternIn is [ParsePattern] with another default registry; the zero Host means [DefaultRegistry].
func ParsePatternIn(registry Host, s string) (Pattern, error) {
	pattern, err := parsePattern(registry, s)
	if err != nil {
		return Pattern{}, &PatternError{Input: s, Reason: err.Error()}
	}
	return pattern, nil
}

func parsePattern(registry Host, s string) (Pattern, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 2 && len(parts) != 3 {
		return Pattern{}, fmt.Errorf("a pattern has the form [host/]namespace/type, each of which can be %q", wildcard)
	}
	if first := slices.Index(parts, wildcard); first >= 0 {
		for _, part := range parts[first:] {
			if part != wildcard {
				return Pattern{}, fmt.Errorf("only wildcards can follow a wildcard: %q cannot", part)
			}
		}
	}
	pattern := Pattern{host: registry.orDefault()}
	var err error
	if len(parts) == 3 {
		if pattern.host, err = hostOrWildcard(parts[0]); err != nil {
			return Pattern{}, err
		}
		parts = parts[1:]
	}
	if pattern.namespace, err = labelOrWildcard("namespace", parts[0]); err != nil {
		return Pattern{}, err
	}
	pattern.kind, err = labelOrWildcard("type", parts[1])
	return pattern, err
}

func hostOrWildcard(s string) (Host, error) {
	if s == wildcard {
		return Host{}, nil
	}
	return ParseHost(s)
}

func labelOrWildcard(part, s string) (string, error) {
	if s == wildcard {
		return wildcard, nil
	}
	label, err := hostname.Label(s)
	if err != nil {
		return "", fmt.Errorf("invalid %s: %w", part, err)
	}
	return label, nil
}

// Matches reports whether the pattern selects the provider.
func (p Pattern) Matches(provider Provider) bool {
	return (p.host.IsZero() || p.host == provider.host) &&
		(p.namespace == wildcard || p.namespace == provider.namespace) &&
		(p.kind == wildcard || p.kind == provider.kind) &&
		!provider.IsZero()
}

// String returns all three parts: "registry.example.com/acme/*". It is "" for the zero value.
func (p Pattern) String() string {
	switch {
	case p == Pattern{}:
		return ""
	case p.host.IsZero():
		return "*/*/*"
	}
	return p.host.String() + "/" + p.namespace + "/" + p.kind
}

// MarshalText returns String.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is [ParsePattern]; "" is the zero value.
func (p *Pattern) UnmarshalText(text []byte) error { return unmarshal(p, text, ParsePattern) }

var (
	_ encoding.TextMarshaler   = Pattern{}
	_ encoding.TextUnmarshaler = (*Pattern)(nil)
)
