package registrytest

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	tokenPath    = "/token"
	tokenService = "registrytest"
	tokenLife    = time.Hour
	maxTokenForm = 64 << 10 // bytes
)

// tokens are the tokens that were handed out.
type tokens struct {
	mu      sync.Mutex
	access  map[string]grant
	refresh map[string]string // users by token
}

// grant is what a token is good for, until it expires.
type grant struct {
	access  []access
	expires time.Time
}

// permission is what a token allows.
func (l *tokens) permission(a *OCIAuth, token string) permission {
	if user, ok := a.AccessTokens[token]; ok {
		return a.permission(user)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.access[token]
	if !time.Now().Before(g.expires) {
		return nil
	}
	return func(need access) bool { return slices.Contains(g.access, need) }
}

// issue makes a token.
func (l *tokens) issue(g grant) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.access == nil {
		l.access = map[string]grant{}
	}
	token := rand.Text()
	l.access[token] = g
	return token
}

// issueRefresh makes a token that stands for a user's name and password.
func (l *tokens) issueRefresh(user string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refresh == nil {
		l.refresh = map[string]string{}
	}
	token := rand.Text()
	l.refresh[token] = user
	return token
}

func (l *tokens) refreshed(a *OCIAuth, token string) (user string, ok bool) {
	if user, ok := a.RefreshTokens[token]; ok {
		return user, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	user, ok = l.refresh[token]
	return user, ok
}

type tokenJSON struct {
	Token        string    `json:"token,omitempty"`
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Scope        string    `json:"scope,omitempty"`
	ExpiresIn    int       `json:"expires_in"`
	IssuedAt     time.Time `json:"issued_at"`
}

// answerToken is the token endpoint, in both of its forms: GET, https://distribution.github.io/distribution/spec/auth/token/,
// and POST, https://distribution.github.io/distribution/spec/auth/oauth/. Whoever asks for more than he may do gets a token
// for less.
func (s *Server) answerToken(w http.ResponseWriter, r *http.Request) {
	var user string
	var ok bool
	switch {
	case s.oci.Auth.Scheme != OCIBearer:
		writeError(w, http.StatusNotFound)
		return
	case r.Method == http.MethodGet:
		user, ok = s.oci.tokenUser(r)
	case r.Method == http.MethodPost:
		user, ok = s.oci.grantUser(r)
	}
	if !ok || r.FormValue("service") != tokenService {
		writeOCIError(w, errUnauthorized)
		return
	}
	writeJSON(w, s.oci.newToken(r, user))
}

// tokenUser reads the credentials of a GET request, which may have none.
func (o *ociRegistry) tokenUser(r *http.Request) (user string, ok bool) {
	if r.Header.Get("Authorization") == "" {
		return "", true
	}
	user, password, _ := r.BasicAuth()
	return user, o.Auth.signIn(user, password) != nil
}

// grantUser reads the credentials of a POST request.
func (o *ociRegistry) grantUser(r *http.Request) (user string, ok bool) {
	switch r.PostFormValue("grant_type") {
	case "refresh_token":
		return o.tokens.refreshed(&o.Auth, r.PostFormValue("refresh_token"))
	case "password":
		user = r.PostFormValue("username")
		return user, o.Auth.signIn(user, r.PostFormValue("password")) != nil
	}
	return "", false
}

func (o *ociRegistry) newToken(r *http.Request, user string) tokenJSON {
	life := o.Auth.TokenLife
	if life == 0 {
		life = tokenLife
	}
	now := time.Now()
	granted := slices.DeleteFunc(accessOf(r.Form["scope"]), func(a access) bool { return !o.Auth.permission(user)(a) })
	doc := tokenJSON{
		AccessToken: o.tokens.issue(grant{granted, now.Add(life)}),
		Scope:       strings.Join(scopesOf(granted), " "),
		ExpiresIn:   int(life.Seconds()),
		IssuedAt:    now.UTC(),
	}
	doc.Token = doc.AccessToken
	if user != "" && (r.FormValue("offline_token") == "true" || r.FormValue("access_type") == "offline") {
		doc.RefreshToken = o.tokens.issueRefresh(user)
	}
	return doc
}

// scopesOf writes what is needed as scopes: https://distribution.github.io/distribution/spec/auth/scope/.
func scopesOf(need []access) []string {
	var scopes []string
	for i, n := range need {
		if i > 0 && need[i-1].repository == n.repository {
			scopes[len(scopes)-1] += "," + n.action
		} else {
			scopes = append(scopes, "repository:"+n.repository+":"+n.action)
		}
	}
	return scopes
}

// accessOf reads scopes; each text may hold several.
func accessOf(texts []string) []access {
	var all []access
	for _, scope := range strings.Fields(strings.Join(texts, " ")) {
		parts := strings.Split(scope, ":")
		if len(parts) != 3 || parts[0] != "repository" {
			continue
		}
		for _, action := range strings.Split(parts[2], ",") {
			all = append(all, access{parts[1], action})
		}
	}
	return all
}
