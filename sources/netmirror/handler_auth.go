package netmirror

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// ChallengeError is what [HandlerConfig.Authorize] returns about a request whose credentials are missing or not accepted:
// the answer is 401.
type ChallengeError struct {
	Challenge string // for the header WWW-Authenticate: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
}

func (e *ChallengeError) Error() string { return "the credentials are missing, or not accepted" }

// BearerTokens returns a function for [HandlerConfig.Authorize] that lets those pass who send one of the tokens, as the
// clients do: https://www.rfc-editor.org/rfc/rfc6750#section-2.1. How long it takes does not depend on how much of a token
// is right. Empty tokens do not count; without any, nobody passes.
func BearerTokens(tokens ...sources.Token) func(*http.Request) error {
	var accepted [][sha256.Size]byte
	for _, token := range tokens {
		if token != "" {
			accepted = append(accepted, sha256.Sum256([]byte(token)))
		}
	}
	return func(r *http.Request) error {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sent := sha256.Sum256([]byte(strings.TrimSpace(token)))
		matches := 0
		for _, want := range accepted {
			matches |= subtle.ConstantTimeCompare(sent[:], want[:])
		}
		if matches == 1 && strings.EqualFold(scheme, "Bearer") {
			return nil
		}
		return &ChallengeError{Challenge: `Bearer realm="provider mirror"`}
	}
}
