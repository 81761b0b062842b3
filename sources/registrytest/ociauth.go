package registrytest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// OCIScheme is a way to authenticate to an OCI registry.
type OCIScheme string

// The ways to authenticate: not at all, with name and password in each request, or with a token that the registry's token
// endpoint hands out for them.
const (
	OCIOpen   OCIScheme = ""
	OCIBasic  OCIScheme = "basic"  // https://www.rfc-editor.org/rfc/rfc7617
	OCIBearer OCIScheme = "bearer" // https://distribution.github.io/distribution/spec/auth/token/
)

// OCIAuth says who may use the OCI registry, and how they prove who they are. The zero value asks nobody.
type OCIAuth struct {
	Scheme OCIScheme

	// Users are the passwords by the names of the users.
	Users map[string]string

	// Allow says what a user may do: "pull", "push" or "delete", in a repository. The user is "" for those who say nothing.
	// nil means that Users may do everything, and others nothing.
	Allow func(user, repository, action string) bool

	// RefreshTokens are the users by the tokens that the token endpoint takes in the place of a name and a password. More
	// come into being when clients ask for them.
	RefreshTokens map[string]string

	// AccessTokens are the users by the tokens that the registry takes, besides those of the token endpoint, for OCIBearer.
	AccessTokens map[string]string

	// TokenHost is the hostname of the token endpoint, when it is to be on another origin than the registry: "localhost", for
	// instance. The port stays the server's. "" means the host asked.
	TokenHost string

	// TokenLife is how long the tokens of the token endpoint are good. Zero means an hour.
	TokenLife time.Duration
}

// check refuses what makes no sense.
func (a OCIAuth) check() error {
	switch a.Scheme {
	case OCIOpen, OCIBasic, OCIBearer:
		return nil
	}
	return fmt.Errorf("the scheme of OCI.Auth is %q; it must be OCIOpen, OCIBasic or OCIBearer", a.Scheme)
}

// access is one thing that a request needs to be allowed.
type access struct{ repository, action string }

// needed returns what a request needs.
func needed(r *http.Request, t target) []access {
	if t.repository == "" {
		return nil
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return []access{{t.repository, "pull"}}
	case http.MethodDelete:
		return []access{{t.repository, "delete"}}
	}
	need := []access{{t.repository, "pull"}, {t.repository, "push"}}
	if from := r.URL.Query().Get("from"); from != "" {
		need = append(need, access{from, "pull"})
	}
	return need
}

// permission tells what the sender of a request may do. nil is for those who have not said who they are, or not truly.
type permission func(access) bool

func (a *OCIAuth) permission(user string) permission {
	return func(need access) bool {
		if a.Allow == nil {
			return user != ""
		}
		return a.Allow(user, need.repository, need.action)
	}
}

// signIn is the permission of a user who knows the password.
func (a *OCIAuth) signIn(user, password string) permission {
	if want, ok := a.Users[user]; !ok || want != password {
		return nil
	}
	return a.permission(user)
}

// permission reads the credentials of a request. With OCIBasic, those who have none may do what Allow lets them, except that
// a ping asks them who they are.
func (o *ociRegistry) permission(r *http.Request, t target) permission {
	header := r.Header.Get("Authorization")
	token, isToken := strings.CutPrefix(header, "Bearer ")
	user, password, isBasic := r.BasicAuth()
	switch scheme := o.Auth.Scheme; {
	case scheme == OCIOpen:
		return func(access) bool { return true }
	case scheme == OCIBearer && isToken:
		return o.tokens.permission(&o.Auth, token)
	case scheme == OCIBasic && isBasic:
		return o.Auth.signIn(user, password)
	case scheme == OCIBasic && header == "" && t.kind != KindOCIPing:
		return o.Auth.permission("")
	}
	return nil
}

// mayDo reports whether a request comes from somebody who may make it; if not, it answers.
func (s *Server) mayDo(w http.ResponseWriter, r *http.Request, t target) bool {
	may := s.oci.permission(r, t)
	if may != nil && !slices.ContainsFunc(needed(r, t), func(need access) bool { return !may(need) }) {
		return true
	}
	w.Header().Set("WWW-Authenticate", s.challenge(r, t))
	writeOCIError(w, errUnauthorized)
	return false
}

// challenge tells how to authenticate: https://distribution.github.io/distribution/spec/auth/token/#how-to-authenticate.
func (s *Server) challenge(r *http.Request, t target) string {
	if s.oci.Auth.Scheme != OCIBearer {
		return `Basic realm="registrytest"`
	}
	host := r.Host
	if s.oci.Auth.TokenHost != "" {
		host = s.onPort(s.oci.Auth.TokenHost)
	}
	text := fmt.Sprintf(`Bearer realm="https://%s%s",service="%s"`, host, tokenPath, tokenService)
	if scopes := scopesOf(needed(r, t)); len(scopes) > 0 {
		text += fmt.Sprintf(`,scope="%s"`, strings.Join(scopes, " "))
	}
	if r.Header.Get("Authorization") != "" {
		text += `,error="insufficient_scope"`
	}
	return text
}
