package sources

import (
	"errors"
	"fmt"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

// AddressError says why a text is not the source address of a [Provider].
type AddressError struct {
	Input      string
	Reason     string // `a type does not begin with "terraform-"`
	Suggestion string // what was probably meant; "" when that is unknown
	Err        error  // a [*HostError] when the host is to blame, otherwise nil
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("invalid provider source address %q: %s", e.Input, withSuggestion(e.Reason, e.Suggestion))
}

// Unwrap returns the cause, if there is another.
func (e *AddressError) Unwrap() error { return e.Err }

// explain takes the error of a host name or label apart.
func explain(err error) (reason, suggestion string) {
	var bad *hostname.Error
	if errors.As(err, &bad) {
		return bad.Reason, bad.Suggestion
	}
	return err.Error(), ""
}

// suggestAddress returns the address that was probably meant by an invalid one, or "" if none comes to mind. It
// knows the addresses of web pages and repositories, their naming scheme, and legacy addresses.
func suggestAddress(registry Host, s string) string {
	text := strings.TrimSpace(s)
	if _, rest, isURL := strings.Cut(text, "://"); isURL {
		text = strings.TrimSuffix(rest, "/")
	}
	parts := addressParts(strings.Split(text, "/"))
	if len(parts) >= 2 && parts[len(parts)-2] == "-" {
		parts[len(parts)-2] = DefaultNamespace
	}
	parts[len(parts)-1] = withoutRepositoryPrefix(parts[len(parts)-1])
	guess := strings.Join(parts, "/")
	if _, err := parseAddress(registry.orDefault(), guess); err != nil || guess == s {
		return ""
	}
	return guess
}

// addressParts finds the parts of an address in those of a web address: "github.com/acme/terraform-provider-x" and
// "registry.example.com/providers/acme/x/latest".
func addressParts(parts []string) []string {
	if len(parts) >= 4 && parts[1] == "providers" {
		parts = append(parts[:1:1], parts[2:4]...)
	}
	if len(parts) == 3 && parts[0] == "github.com" {
		parts = parts[1:]
	}
	return parts
}

func withoutRepositoryPrefix(kind string) string {
	for _, prefix := range []string{"terraform-provider-", "opentofu-provider-"} {
		if rest, ok := strings.CutPrefix(kind, prefix); ok {
			return rest
		}
	}
	return kind
}
