package ocimirror

import (
	"errors"
	"fmt"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// ArtifactError says that what a registry has is not a provider's artifact as it should be. It matches
// [sources.ErrMalformed].
type ArtifactError struct {
	Artifact string // "registry.example.com/mirror/acme/rocket:1.0.0" or "…@sha256:…"
	Problem  string
}

func (e *ArtifactError) Error() string { return e.Artifact + ": " + e.Problem }

// Is makes the error one of kind ErrMalformed.
func (e *ArtifactError) Is(kind error) bool { return kind == sources.ErrMalformed }

// AmbiguousError says that an artifact has several packages for one platform, which differ in what the platforms of
// providers do not have: variants of a processor, features of a system. It matches [sources.ErrMalformed].
type AmbiguousError struct {
	Artifact string // "registry.example.com/mirror/acme/rocket:1.0.0"
	Platform sources.Platform
	Variants []string // "linux/arm/v6 (sha256:…)", one for each package
}

func (e *AmbiguousError) Error() string {
	variants := strings.Join(e.Variants[:min(len(e.Variants), maxVariants)], ", ")
	if more := len(e.Variants) - maxVariants; more > 0 {
		variants += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s has %d packages for %s, and there can be only one: %s", e.Artifact, len(e.Variants), e.Platform, variants)
}

// maxVariants is how many packages a message names. Processors have fewer variants.
const maxVariants = 10

// Is makes the error one of kind ErrMalformed.
func (e *AmbiguousError) Is(kind error) bool { return kind == sources.ErrMalformed }

// AuthError says that a registry demands authentication and that it could not be done: there are no credentials, they
// could not be determined, or the registry's token service does not accept them. It matches [sources.ErrUnauthorized];
// or [sources.ErrUnavailable] if the token service could not be reached or failed itself.
type AuthError struct {
	Registry string
	Service  string // the URL of the token service, without its query; "" if it was not asked
	Message  string // what the token service says, shortened; it is for people
	Err      error

	refusal *web.StatusError // of the registry; nil if trying again may help
}

func (e *AuthError) Error() string {
	text := "authentication to " + e.Registry + " failed"
	cause := e.Err
	var credentials *CredentialsError // names the registry once more
	var status *web.StatusError       // names the service
	switch {
	case errors.As(cause, &credentials):
		cause = credentials.Err
	case e.Service != "" && !errors.As(cause, &status):
		text += ": " + e.Service
	}
	if cause != nil {
		text += ": " + cause.Error()
	}
	return withMessage(text, e.Message)
}

// Unwrap returns the cause and, unless trying again may help, the registry's refusal.
func (e *AuthError) Unwrap() []error {
	if e.refusal == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.refusal}
}

func withMessage(text, message string) string {
	if message == "" {
		return text
	}
	return text + " (" + message + ")"
}

const (
	maxErrorBody = 8 << 10 // bytes that are read of an answer that is an error
	maxMessage   = 300     // characters of what a server says, in a message
)

// shown makes a text from outside fit for a message: in one line, not too long.
func shown(text string) string {
	text = fmt.Sprintf("%.*s", maxMessage, text)
	return strings.Join(remote.Warnings([]string{text}), "")
}

// quoted quotes a name from outside for a message.
func quoted(text string) string { return fmt.Sprintf("%.*q", remote.MaxShown, text) }
