package sources

import (
	"cmp"
	"encoding"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

// Provider is the source address of a provider: the registry it originates from, a namespace there, and its type.
// Providers compare with ==. The zero value is no provider; only the parsers make others, so the parts are safe to
// use in paths and URLs. Source: https://opentofu.org/docs/internals/provider-registry-protocol/#provider-addresses.
type Provider struct {
	host            Host
	namespace, kind string
}

// DefaultNamespace is the namespace of addresses that consist of a type alone.
const DefaultNamespace = "hashicorp"

// ParseProvider reads "type", "namespace/type" or "host/namespace/type". A missing host is [DefaultRegistry], a
// missing namespace [DefaultNamespace].
//
// Namespace and type consist of letters, digits and single inner dashes, and are mapped like host names: lower case,
// one width, one composition. A type must not begin with "terraform-" or "opentofu-": that is how executables and
// repositories are named, not providers. The error is an [*AddressError].
func ParseProvider(s string) (Provider, error) { return ParseProviderIn(Host{}, s) }

// ParseProviderIn is [ParseProvider] with another registry for addresses that name no host; the zero Host means
// [DefaultRegistry].
func ParseProviderIn(registry Host, s string) (Provider, error) {
	p, err := parseAddress(registry.orDefault(), s)
	if err != nil {
		err.Input = s
		err.Suggestion = cmp.Or(err.Suggestion, suggestAddress(registry, s))
		return Provider{}, err
	}
	return p, nil
}

// MustParseProvider is [ParseProvider] for constants of a program: it panics where that returns an error.
func MustParseProvider(s string) Provider { return must(ParseProvider(s)) }

func parseAddress(registry Host, s string) (Provider, *AddressError) {
	parts := strings.Split(s, "/")
	if s == "" || len(parts) > 3 {
		return Provider{}, &AddressError{Reason: "an address has the form [host/][namespace/]type"}
	}
	host, err := parseHostPart(registry, parts)
	if err != nil {
		return Provider{}, err
	}
	namespace, err := parseNamespace(parts)
	if err != nil {
		return Provider{}, err
	}
	kind, err := parseType(parts[len(parts)-1])
	if err != nil {
		return Provider{}, err
	}
	return Provider{host, namespace, kind}, nil
}

func parseHostPart(registry Host, parts []string) (Host, *AddressError) {
	if len(parts) < 3 {
		return registry, nil
	}
	host, err := ParseHost(parts[0])
	if err != nil {
		return Host{}, &AddressError{Reason: err.Error(), Err: err}
	}
	return host, nil
}

func parseNamespace(parts []string) (string, *AddressError) {
	if len(parts) < 2 {
		return DefaultNamespace, nil
	}
	text := parts[len(parts)-2]
	if text == "-" {
		return "", &AddressError{Reason: `the namespace "-" is that of legacy addresses, which nothing can be installed from`}
	}
	return parseLabel("namespace", text)
}

func parseType(text string) (string, *AddressError) {
	kind, err := parseLabel("type", text)
	if err != nil {
		return "", err
	}
	for _, prefix := range []string{"terraform-", "opentofu-"} {
		if strings.HasPrefix(kind, prefix) {
			return "", &AddressError{Reason: `a type does not begin with "` + prefix + `"`}
		}
	}
	return kind, nil
}

func parseLabel(part, text string) (string, *AddressError) {
	label, err := hostname.Label(text)
	if err != nil {
		reason, _ := explain(err)
		return "", &AddressError{Reason: "invalid " + part + ": " + reason}
	}
	return label, nil
}

// Host returns the registry that the provider originates from.
func (p Provider) Host() Host { return p.host }

// Namespace returns the namespace in normal form: "hashicorp".
func (p Provider) Namespace() string { return p.namespace }

// Type returns the type in normal form: "aws".
func (p Provider) Type() string { return p.kind }

// String returns all three parts, the host in Unicode: "registry.opentofu.org/hashicorp/aws". It identifies the
// provider in paths and lock files. It is "" for the zero value.
func (p Provider) String() string {
	if p.IsZero() {
		return ""
	}
	return p.host.String() + "/" + p.namespace + "/" + p.kind
}

// Display returns the address for people: String without the host if that is [DefaultRegistry].
func (p Provider) Display() string {
	if p.host == DefaultRegistry {
		return p.namespace + "/" + p.kind
	}
	return p.String()
}

// Compare orders providers by host, namespace and type; see [Host.Compare].
func (p Provider) Compare(o Provider) int {
	return cmp.Or(
		p.host.Compare(o.host),
		strings.Compare(p.namespace, o.namespace),
		strings.Compare(p.kind, o.kind),
	)
}

// IsZero reports whether p is the zero value, which is no provider.
func (p Provider) IsZero() bool { return p == Provider{} }

// BuiltIn reports whether the provider is part of the terraform and tofu executables, so that it is never installed:
// its namespace is "builtin" on the host terraform.io or opentofu.org.
func (p Provider) BuiltIn() bool {
	return p.namespace == "builtin" && (p.host == terraformItself || p.host == openTofuItself)
}

var (
	terraformItself = MustParseHost("terraform.io")
	openTofuItself  = MustParseHost("opentofu.org")
)

// MarshalText returns String.
func (p Provider) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText is [ParseProvider]; "" is the zero value.
func (p *Provider) UnmarshalText(text []byte) error { return unmarshal(p, text, ParseProvider) }

// unmarshal parses a text into a value whose zero value is written as "".
func unmarshal[T any](into *T, text []byte, parse func(string) (T, error)) error {
	var v T
	if len(text) > 0 {
		var err error
		if v, err = parse(string(text)); err != nil {
			return err
		}
	}
	*into = v
	return nil
}

var (
	_ encoding.TextMarshaler   = Provider{}
	_ encoding.TextUnmarshaler = (*Provider)(nil)
)
