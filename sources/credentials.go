package sources

import "context"

// Credentials finds the token for a host. Sources send it to that very origin (https, host and port) and to no other,
// also when a request is redirected.
type Credentials interface {
	// Token returns the bearer token for the host, or "" when there is none. An error makes the request fail.
	Token(ctx context.Context, host Host) (Token, error)
}

// Token is a secret that a request carries as "Authorization: Bearer". It does not show itself when printed.
type Token string

// String hides the secret.
func (t Token) String() string {
	if t == "" {
		return ""
	}
	return "(redacted)"
}

// GoString hides the secret.
func (t Token) GoString() string { return `sources.Token("` + t.String() + `")` }

// StaticCredentials is a fixed table of tokens.
type StaticCredentials map[Host]Token

// Token looks the host up.
func (c StaticCredentials) Token(_ context.Context, host Host) (Token, error) { return c[host], nil }

var _ Credentials = StaticCredentials(nil)
