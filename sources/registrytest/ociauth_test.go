package registrytest_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func guarded(t *testing.T, auth registrytest.OCIAuth) *registrytest.Server {
	t.Helper()
	if auth.Users == nil {
		auth.Users = map[string]string{"ann": "secret"}
	}
	return registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, OCI: registrytest.OCI{Auth: auth}})
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// everyonePulls is an Allow that lets known users do everything, and others pull.
func everyonePulls(user, _, action string) bool { return user != "" || action == "pull" }

func TestBasicAuthentication(t *testing.T) {
	t.Parallel()
	closed := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBasic})
	open := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBasic, Allow: everyonePulls})
	const push = alphaOCI + "/blobs/uploads/"
	for name, tt := range map[string]struct {
		server        *registrytest.Server
		method, path  string
		authorization string
		want          int
	}{
		"nothing":               {closed, "GET", alphaOCI + "/tags/list", "", 401},
		"ping":                  {closed, "GET", "/v2/", "", 401},
		"right":                 {closed, "GET", alphaOCI + "/tags/list", basic("ann", "secret"), 200},
		"right ping":            {closed, "GET", "/v2/", basic("ann", "secret"), 200},
		"right push":            {closed, "POST", push, basic("ann", "secret"), 202},
		"wrong password":        {closed, "GET", alphaOCI + "/tags/list", basic("ann", "Secret"), 401},
		"wrong user":            {closed, "GET", alphaOCI + "/tags/list", basic("", ""), 401},
		"a token":               {closed, "GET", alphaOCI + "/tags/list", "Bearer secret", 401},
		"public":                {open, "GET", alphaOCI + "/tags/list", "", 200},
		"public ping":           {open, "GET", "/v2/", "", 401},
		"public push":           {open, "POST", push, "", 401},
		"public wrong password": {open, "GET", alphaOCI + "/tags/list", basic("ann", "x"), 401},
		"public delete":         {open, "DELETE", alphaOCI + "/manifests/1.0.0", "", 401},
	} {
		r := send(t, tt.server.Client(), tt.method, tt.server.URL()+tt.path, "", "Authorization", tt.authorization)
		if r.status != tt.want {
			t.Errorf("%s: status %d, want %d", name, r.status, tt.want)
		}
		if got := r.header.Get("WWW-Authenticate"); tt.want == 401 && (got != `Basic realm="registrytest"` || code(t, r) != "401 UNAUTHORIZED") {
			t.Errorf("%s: challenge %q, %s", name, got, r.body)
		}
	}
}

func TestAllowIsAskedForEachRepository(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{
		Scheme: registrytest.OCIBasic,
		Users:  map[string]string{"ann": "a", "bob": "b"},
		Allow: func(user, repository, action string) bool {
			return user == "ann" && strings.HasPrefix(repository, "mirror/acme/") && action == "pull"
		},
	})
	for want, header := range map[int]string{200: basic("ann", "a"), 401: basic("bob", "b")} {
		sent(t, want, s.Client(), "GET", s.URL()+alphaOCI+"/tags/list", "", "Authorization", header)
	}
	sent(t, 401, s.Client(), "GET", s.URL()+"/v2/mirror/other/x/tags/list", "", "Authorization", basic("ann", "a"))
	sent(t, 401, s.Client(), "POST", s.URL()+alphaOCI+"/blobs/uploads/", "", "Authorization", basic("ann", "a"))
}

// challenged returns where a refused request has to get a token, and for which scopes.
func challenged(t *testing.T, r response) (realm string, query url.Values) {
	t.Helper()
	parts := regexp.MustCompile(`^Bearer realm="([^"]*)",service="([^"]*)"(?:,scope="([^"]*)")?`).FindStringSubmatch(r.header.Get("WWW-Authenticate"))
	if r.status != http.StatusUnauthorized || parts == nil {
		t.Fatalf("status %d, challenge %q", r.status, r.header.Get("WWW-Authenticate"))
	}
	query = url.Values{"service": {parts[2]}}
	if parts[3] != "" {
		query.Set("scope", parts[3])
	}
	return parts[1], query
}

type tokenDoc struct {
	Token, Scope string
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token"`
	ExpiresIn    int       `json:"expires_in"`
	IssuedAt     time.Time `json:"issued_at"`
}

// token gets a token for what a refused request was about.
func token(t *testing.T, s *registrytest.Server, refused response, authorization string) tokenDoc {
	t.Helper()
	realm, query := challenged(t, refused)
	return decode[tokenDoc](t, good(t, s.Client(), realm+"?"+query.Encode(), "Authorization", authorization).body)
}

func TestBearerAuthentication(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer})
	tags, uploads := s.URL()+alphaOCI+"/tags/list", s.URL()+alphaOCI+"/blobs/uploads/?mount="+sum(nil)+"&from=a/b"
	doc := token(t, s, get(t, s.Client(), tags), basic("ann", "secret"))
	if doc.Token == "" || doc.Token != doc.AccessToken || doc.ExpiresIn != 3600 || doc.Scope != "repository:mirror/acme/alpha:pull" || doc.IssuedAt.IsZero() {
		t.Errorf("the token is %+v", doc)
	}
	good(t, s.Client(), tags, "Authorization", "Bearer "+doc.Token)
	good(t, s.Client(), s.URL()+"/v2/", "Authorization", "Bearer "+doc.Token)
	refused := send(t, s.Client(), "POST", uploads, "", "Authorization", "Bearer "+doc.Token)
	if got := refused.header.Get("WWW-Authenticate"); !strings.HasSuffix(got, `scope="repository:mirror/acme/alpha:pull,push repository:a/b:pull",error="insufficient_scope"`) {
		t.Errorf("the challenge is %q", got)
	}
	doc = token(t, s, refused, basic("ann", "secret"))
	sent(t, 202, s.Client(), "POST", uploads, "", "Authorization", "Bearer "+doc.Token)
}

func TestBearerRefusesWhatIsNoToken(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer})
	refused := get(t, s.Client(), s.URL()+alphaOCI+"/tags/list")
	for _, header := range []string{"Bearer x", "Bearer ", basic("ann", "secret"), "Bearer " + token(t, s, refused, "").Token} {
		if r := get(t, s.Client(), s.URL()+alphaOCI+"/tags/list", "Authorization", header); r.status != 401 {
			t.Errorf("%s: status %d", header, r.status)
		}
	}
	if _, query := challenged(t, get(t, s.Client(), s.URL()+"/v2/")); query.Has("scope") {
		t.Errorf("the ping wants %v", query)
	}
}

func TestTokenEndpointRefuses(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer})
	const form = "application/x-www-form-urlencoded"
	for name, r := range map[string]response{
		"wrong password":      get(t, s.Client(), s.URL()+"/token?service=registrytest", "Authorization", basic("ann", "x")),
		"another service":     get(t, s.Client(), s.URL()+"/token?service=x", "Authorization", basic("ann", "secret")),
		"wrong password POST": send(t, s.Client(), "POST", s.URL()+"/token", "service=registrytest&grant_type=password&username=ann&password=x", "Content-Type", form),
		"wrong refresh token": send(t, s.Client(), "POST", s.URL()+"/token", "service=registrytest&grant_type=refresh_token&refresh_token=x", "Content-Type", form),
		"another grant":       send(t, s.Client(), "POST", s.URL()+"/token", "service=registrytest&grant_type=x", "Content-Type", form),
		"another method":      send(t, s.Client(), "PUT", s.URL()+"/token?service=registrytest", ""),
	} {
		if got := code(t, r); got != "401 UNAUTHORIZED" {
			t.Errorf("%s: %s", name, got)
		}
	}
	open := guarded(t, registrytest.OCIAuth{})
	sent(t, 404, open.Client(), "GET", open.URL()+"/token", "")
}

func TestTokensByPOST(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer, RefreshTokens: map[string]string{"known": "ann"}})
	realm, query := challenged(t, get(t, s.Client(), s.URL()+alphaOCI+"/tags/list"))
	post := func(values ...string) tokenDoc {
		for i := 0; i < len(values); i += 2 {
			query.Set(values[i], values[i+1])
		}
		doc := decode[tokenDoc](t, sent(t, 200, s.Client(), "POST", realm, query.Encode(), "Content-Type", "application/x-www-form-urlencoded").body)
		good(t, s.Client(), s.URL()+alphaOCI+"/tags/list", "Authorization", "Bearer "+doc.AccessToken)
		return doc
	}
	if doc := post("grant_type", "refresh_token", "refresh_token", "known"); doc.RefreshToken != "" {
		t.Error("nobody asked for another refresh token")
	}
	doc := post("grant_type", "password", "username", "ann", "password", "secret", "access_type", "offline")
	post("grant_type", "refresh_token", "refresh_token", doc.RefreshToken)
	var grants []string
	for _, r := range s.Requests() {
		if r.Kind == registrytest.KindOCIToken {
			grants = append(grants, r.Grant)
		}
	}
	if got := fmt.Sprint(grants); got != "[refresh_token password refresh_token]" {
		t.Errorf("the log has the grants %s", got)
	}
}

func TestOfflineTokensByGET(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer})
	url := s.URL() + "/token?service=registrytest&offline_token=true"
	if doc := decode[tokenDoc](t, good(t, s.Client(), url, "Authorization", basic("ann", "secret")).body); doc.RefreshToken == "" {
		t.Error("there is no refresh token")
	}
	if doc := decode[tokenDoc](t, good(t, s.Client(), url).body); doc.RefreshToken != "" {
		t.Error("there is a refresh token for nobody")
	}
}

func TestAnonymousTokens(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer, Allow: everyonePulls})
	refused := get(t, s.Client(), s.URL()+alphaOCI+"/tags/list")
	good(t, s.Client(), s.URL()+alphaOCI+"/tags/list", "Authorization", "Bearer "+token(t, s, refused, "").Token)
	refused = send(t, s.Client(), "POST", s.URL()+alphaOCI+"/blobs/uploads/", "")
	doc := token(t, s, refused, "")
	if doc.Scope != "repository:mirror/acme/alpha:pull" {
		t.Errorf("the token is for %s", doc.Scope)
	}
	sent(t, 401, s.Client(), "POST", s.URL()+alphaOCI+"/blobs/uploads/", "", "Authorization", "Bearer "+doc.Token)
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer, TokenLife: time.Nanosecond, AccessTokens: map[string]string{"forever": "ann"}})
	doc := token(t, s, get(t, s.Client(), s.URL()+"/v2/"), basic("ann", "secret"))
	sent(t, 401, s.Client(), "GET", s.URL()+"/v2/", "", "Authorization", "Bearer "+doc.Token)
	good(t, s.Client(), s.URL()+alphaOCI+"/tags/list", "Authorization", "Bearer forever")
}

// TestTokenEndpointOnAnotherHost: as at Docker Hub, the host of the tokens is not the registry's. The log tells who got what.
func TestTokenEndpointOnAnotherHost(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer, TokenHost: "auth.example.com"})
	refused := get(t, s.Client(), "https://registry.example.com"+alphaOCI+"/tags/list")
	doc := token(t, s, refused, basic("ann", "secret"))
	good(t, s.Client(), "https://registry.example.com"+alphaOCI+"/tags/list", "Authorization", "Bearer "+doc.Token)
	var got []string
	for _, r := range s.Requests() {
		scheme, _, _ := strings.Cut(r.Authorization, " ")
		got = append(got, strings.TrimSpace(strings.Split(r.Host, ":")[0]+" "+scheme))
	}
	if text := strings.Join(got, ", "); text != "registry.example.com, auth.example.com Basic, registry.example.com Bearer" {
		t.Errorf("the log says %s", text)
	}
}

func TestUnknownSchemeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := registrytest.Start(registrytest.Config{OCI: registrytest.OCI{Auth: registrytest.OCIAuth{Scheme: "digest"}}})
	var e *registrytest.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), `"digest"`) {
		t.Errorf("error %v", err)
	}
}
