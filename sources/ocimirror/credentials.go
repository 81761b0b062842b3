package ocimirror

import (
	"context"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/purveyor-dev/purveyor/sources"
)

// Credentials finds what to authenticate with. It is asked when a registry demands authentication, and not before; what it
// finds goes to that registry, and to the token service that the registry names for itself. [Keychain] implements it.
//
// If it also has the method Problems() []error, as [Keychain] does, what that returns is part of the warnings of lists and of
// refusals: no secrets in it.
type Credentials interface {
	// Credential returns what to authenticate with for a repository of a registry ("registry.example.com:5000",
	// "mirror/acme/rocket"; "docker.io" for all names of Docker Hub). The zero value is nothing: the registry is asked
	// anonymously. An error makes the request fail.
	Credential(ctx context.Context, registry, repository string) (Credential, error)
}

// Credential is what to authenticate with: a user name and a password, or one or both of the tokens. The first of these
// that is there counts: AccessToken, until the registry refuses it; RefreshToken; Username and Password.
type Credential struct {
	Username string
	Password sources.Token

	// AccessToken is sent to the registry as it is: "Authorization: Bearer".
	AccessToken sources.Token

	// RefreshToken, which Docker calls an identity token, is exchanged for access tokens by OAuth 2:
	// https://distribution.github.io/distribution/spec/auth/oauth/.
	RefreshToken sources.Token
}

// IsZero reports whether there is nothing to authenticate with.
func (c Credential) IsZero() bool { return c == Credential{} }

func (c Credential) oras() auth.Credential {
	return auth.Credential{
		Username:     c.Username,
		Password:     string(c.Password),
		AccessToken:  string(c.AccessToken),
		RefreshToken: string(c.RefreshToken),
	}
}

// CredentialsError says that the credentials for a registry could not be determined.
type CredentialsError struct {
	Registry string
	Err      error // a [*HelperError], a [*ConfigFileError] or what another implementation of [Credentials] returns
}

func (e *CredentialsError) Error() string {
	return "cannot get credentials for " + e.Registry + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }
