package sources

import (
	"context"
	"encoding"
	"fmt"
	"io"
)

// Credentials finds the token for a host. Sources send it to that very origin (https, host and port) and to no other,
// also when a request is redirected.
type Credentials interface {
	// Token returns the bearer token for the host, or "" when there is none. An error makes the request fail.
	Token(ctx context.Context, host Host) (Token, error)
}

// Token is a secret: a bearer token, a password, or an address that holds one. It does not show itself when printed;
// string(t) is what it hides.
type Token string

// String hides the secret.
func (t Token) String() string {
	if t == "" {
		return ""
	}
	return "(redacted)"
}

// Format hides the secret whatever the verb.
func (t Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// MarshalText hides the secret, in JSON and in structured logs.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// StaticCredentials is a fixed table of tokens.
type StaticCredentials map[Host]Token

// Token looks the host up.
func (c StaticCredentials) Token(_ context.Context, host Host) (Token, error) { return c[host], nil }

var (
	_ Credentials            = StaticCredentials(nil)
	_ fmt.Formatter          = Token("")
	_ encoding.TextMarshaler = Token("")
)

// CredentialsError says that the credentials for a host could not be determined.
type CredentialsError struct {
	Host Host
	Err  error
}

func (e *CredentialsError) Error() string {
	return "cannot get credentials for " + e.Host.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }
