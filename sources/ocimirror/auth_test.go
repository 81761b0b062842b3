package ocimirror_test

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const (
	user     = "wile"
	password = "s3cr3t-p4ss"
)

var users = map[string]string{user: password}

func basic() registrytest.OCIAuth {
	return registrytest.OCIAuth{Scheme: registrytest.OCIBasic, Users: users}
}

func bearer() registrytest.OCIAuth {
	return registrytest.OCIAuth{Scheme: registrytest.OCIBearer, Users: users}
}

func guarded(t *testing.T, auth registrytest.OCIAuth) *registrytest.Server {
	t.Helper()
	return start(t, registrytest.Config{OCI: registrytest.OCI{Auth: auth}})
}

// static is one credential for whoever asks, and a count of those who do.
type static struct {
	credential ocimirror.Credential
	err        error
	asked      atomic.Int32
}

func (s *static) Credential(_ context.Context, registry, repository string) (ocimirror.Credential, error) {
	s.asked.Add(1)
	return s.credential, s.err
}

func signedIn() *static {
	return &static{credential: ocimirror.Credential{Username: user, Password: password}}
}

func with(c ocimirror.Credentials) func(*ocimirror.Config) {
	return func(cfg *ocimirror.Config) { cfg.Credentials = c }
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	refresh := bearer()
	refresh.RefreshTokens = map[string]string{"refresh": user}
	access := bearer()
	access.AccessTokens = map[string]string{"access": user}
	elsewhere := bearer()
	elsewhere.TokenHost = "localhost"
	for name, test := range map[string]struct {
		auth       registrytest.OCIAuth
		credential ocimirror.Credential
	}{
		"basic":         {basic(), ocimirror.Credential{Username: user, Password: password}},
		"bearer":        {bearer(), ocimirror.Credential{Username: user, Password: password}},
		"refresh token": {refresh, ocimirror.Credential{RefreshToken: "refresh"}},
		"access token":  {access, ocimirror.Credential{AccessToken: "access"}},
		"both tokens":   {access, ocimirror.Credential{AccessToken: "access", RefreshToken: "wr0ng"}},
		"elsewhere":     {elsewhere, ocimirror.Credential{Username: user, Password: password}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := guarded(t, test.auth)
			if err := install(t, connect(t, s, with(&static{credential: test.credential}))); err != nil {
				t.Error(err)
			}
			refused := 0
			for _, r := range s.Requests() {
				if r.Status == http.StatusUnauthorized {
					refused++
				}
				if !strings.HasPrefix(r.UserAgent, "purveyor") {
					t.Errorf("%s came with the user agent %q", r.Kind, r.UserAgent)
				}
			}
			if refused > 1 {
				t.Errorf("%d requests were made without a token that was there", refused)
			}
			if n := s.Count(registrytest.KindOCIToken); n > 1 {
				t.Errorf("%d tokens were asked for", n)
			}
		})
	}
}

func TestNobodyIsAskedForCredentialsWithoutNeed(t *testing.T) {
	t.Parallel()
	credentials := signedIn()
	if err := install(t, connect(t, start(t, registrytest.Config{}), with(credentials))); err != nil {
		t.Fatal(err)
	}
	if n := credentials.asked.Load(); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

// A public registry gives out tokens to everybody, as Docker Hub does.
func TestAnonymousTokens(t *testing.T) {
	t.Parallel()
	auth := bearer()
	auth.Allow = func(_, _, action string) bool { return action == "pull" }
	s := guarded(t, auth)
	if err := install(t, connect(t, s)); err != nil {
		t.Error(err)
	}
	if s.Count(registrytest.KindOCIToken) != 1 {
		t.Errorf("%d tokens were asked for", s.Count(registrytest.KindOCIToken))
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		auth        registrytest.OCIAuth
		credentials ocimirror.Credentials
		says        string
	}{
		"basic, none":    {basic(), nil, "none are configured"},
		"basic, wrong":   {basic(), &static{credential: ocimirror.Credential{Username: user, Password: "wr0ng"}}, "are not accepted"},
		"basic, a token": {basic(), &static{credential: ocimirror.Credential{RefreshToken: "wr0ng"}}, "missing username or password"},
		"bearer, none":   {bearer(), nil, "the registry answered 401 Unauthorized: no credentials were sent"},
		"bearer, wrong":  {bearer(), &static{credential: ocimirror.Credential{Username: user, Password: "wr0ng"}}, "are not accepted"},
		"refresh, wrong": {bearer(), &static{credential: ocimirror.Credential{RefreshToken: "wr0ng"}}, "are not accepted"},
		"access, wrong":  {bearer(), &static{credential: ocimirror.Credential{AccessToken: "wr0ng"}}, "are not accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := guarded(t, test.auth)
			_, err := connect(t, s, with(test.credentials)).Versions(t.Context(), rocket)
			if !errors.Is(err, sources.ErrUnauthorized) || errors.Is(err, sources.ErrUnavailable) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error is %v, want %q", err, test.says)
			}
			if strings.Contains(err.Error(), "wr0ng") {
				t.Errorf("the error shows a secret: %v", err)
			}
			if n := s.Count(""); n > 3 {
				t.Errorf("%d requests: a refusal is repeated", n)
			}
		})
	}
}

func TestWhatTheRegistrySaysIsTold(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIManifest, Status: 403,
		Body: []byte(`{"errors":[{"code":"DENIED","message":"Your authorization token has expired.\u001b[31m` + strings.Repeat("!", 5000) + `"}]}`)})
	_, err := describe(t, connect(t, s))
	var refused *ocimirror.RegistryError
	if !errors.As(err, &refused) || refused.Code != "DENIED" || refused.Status != 403 || !strings.Contains(err.Error(), "denied: Your authorization token has expired.") {
		t.Errorf("error is %v", err)
	}
	if len(err.Error()) > 1500 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("error is %q", err)
	}
}

// Whoever stands in for a registry can make its refusals.
func TestARefusalMadeByHand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err     *ocimirror.RegistryError
		refused bool
		text    string
	}{
		{&ocimirror.RegistryError{Status: 403, Code: "DENIED", Message: "denied"}, true, "the registry answered 403 Forbidden (denied)"},
		{&ocimirror.RegistryError{Status: 400}, false, "the registry answered 400 Bad Request"},
		{&ocimirror.RegistryError{Status: 499}, false, "the registry answered 499"},
		{&ocimirror.RegistryError{Status: 499, Message: "denied"}, false, "the registry answered 499 (denied)"},
	} {
		if got := test.err.Error(); got != test.text {
			t.Errorf("it says %q, want %q", got, test.text)
		}
		if errors.Is(test.err, sources.ErrUnauthorized) != test.refused || errors.Is(test.err, sources.ErrUnavailable) || errors.Unwrap(test.err) != nil {
			t.Errorf("%v is not what it is", test.err)
		}
	}
}

func TestAFailedAuthenticationMadeByHand(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*ocimirror.AuthError{
		"authentication to r.example.com failed":                                     {Registry: "r.example.com"},
		"authentication to r.example.com failed (denied)":                            {Registry: "r.example.com", Message: "denied"},
		"authentication to r.example.com failed: https://a.example.com/token":        {Registry: "r.example.com", Service: "https://a.example.com/token"},
		"authentication to r.example.com failed: https://a.example.com/token: wrong": {Registry: "r.example.com", Service: "https://a.example.com/token", Err: errors.New("wrong")},
		"authentication to r.example.com failed: wrong":                              {Registry: "r.example.com", Err: &ocimirror.CredentialsError{Registry: "r.example.com", Err: errors.New("wrong")}},
	} {
		if got := err.Error(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		if errors.Is(err, sources.ErrUnavailable) {
			t.Errorf("%v is an outage", err)
		}
	}
}

// A registry that repeats a secret does not get it shown.
func TestSecretsThatAreRepeatedAreNotShown(t *testing.T) {
	t.Parallel()
	s := guarded(t, basic())
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, After: 1, Status: 403,
		Body: []byte(`{"errors":[{"code":"DENIED","message":"the password ` + password + ` is wrong"}]}`)})
	_, err := connect(t, s, with(signedIn())).Versions(t.Context(), rocket)
	if !errors.Is(err, sources.ErrUnauthorized) || strings.Contains(err.Error(), password) {
		t.Errorf("error is %v", err)
	}
}

func TestCredentialsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	for _, auth := range []registrytest.OCIAuth{basic(), bearer()} {
		s := guarded(t, auth)
		credentials := &static{err: &ocimirror.HelperError{Program: "docker-credential-x", Registry: s.Host(), Err: exec.ErrNotFound}}
		err := install(t, connect(t, s, with(credentials)))
		var failed *ocimirror.CredentialsError
		if !errors.Is(err, exec.ErrNotFound) || !errors.As(err, &failed) || failed.Registry != s.Host() || errors.Is(err, sources.ErrUnavailable) {
			t.Errorf("error is %v", err)
		}
		if n := credentials.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	}
}

func TestTokenServiceOutage(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]registrytest.Fault{
		"failing":   {Status: http.StatusServiceUnavailable},
		"busy":      {Status: http.StatusTooManyRequests, RetryAfter: "1"},
		"cut":       {CutAt: -1},
		"cut later": {CutAt: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := guarded(t, bearer())
			f.Kind = registrytest.KindOCIToken
			fault(t, s, f)
			_, err := connect(t, s, with(signedIn())).Versions(t.Context(), rocket)
			var failed *ocimirror.AuthError
			if !errors.Is(err, sources.ErrUnavailable) || errors.Is(err, sources.ErrUnauthorized) || !errors.As(err, &failed) || !strings.HasSuffix(failed.Service, "/token") && !strings.HasSuffix(failed.Service, "/token?…") {
				t.Errorf("error is %v", err)
			}
			if n := s.Count(registrytest.KindOCIToken); n < 2 {
				t.Errorf("%d attempts", n)
			}
			s.ClearFaults()
			f.Times = 1
			fault(t, s, f)
			if err := install(t, connect(t, s, with(signedIn()))); err != nil {
				t.Errorf("a passing fault is not survived: %v", err)
			}
		})
	}
}

func TestTokenServicesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]registrytest.Fault{
		"no JSON":  {Body: []byte("<html>")},
		"no token": {Body: []byte("{}")},
		"null":     {Body: []byte("null")},
		"endless":  {Body: []byte(`{"token":"` + strings.Repeat("x", 1<<20) + `"}`)},
		"redirect": {Redirect: "https://evil.example/token"},
		"bad":      {Status: http.StatusBadRequest, Body: []byte(`{"error":"invalid_grant"}`)},
	} {
		s := guarded(t, bearer())
		f.Kind = registrytest.KindOCIToken
		fault(t, s, f)
		_, err := connect(t, s, with(signedIn())).Versions(t.Context(), rocket)
		var failed *ocimirror.AuthError
		if !errors.As(err, &failed) || !errors.Is(err, sources.ErrUnauthorized) || errors.Is(err, sources.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.Count(registrytest.KindOCIToken); n != 1 {
			t.Errorf("%s: %d attempts", name, n)
		}
	}
}

// challenge makes the registry name another token service.
func challenge(header string) registrytest.Fault {
	return registrytest.Fault{Kind: registrytest.KindOCITags, Status: 401, Header: map[string]string{"WWW-Authenticate": header}}
}

// Credentials are not entrusted to a token service that is reached less safely than the registry.
func TestTokenServicesThatAreNotAsked(t *testing.T) {
	t.Parallel()
	for name, realm := range map[string]string{
		"plain http":          "http://auth.example.com/token",
		"loopback, http":      "http://127.0.0.1:1/token",
		"another scheme":      "ftp://auth.example.com/token",
		"a file":              "file:///etc/passwd",
		"a user":              "https://user:pw@auth.example.com/token",
		"relative":            "/token",
		"nothing":             "",
		"no URL":              "https://%zz/",
		"the metadata server": "https://169.254.169.254/token",
		"a private network":   "https://10.0.0.1/token",
	} {
		s := guarded(t, bearer())
		fault(t, s, challenge(`Bearer realm="`+realm+`",service="x",scope="repository:x:pull"`))
		_, err := connect(t, s, with(signedIn())).Versions(t.Context(), rocket)
		var failed *ocimirror.AuthError
		if !errors.As(err, &failed) || !errors.Is(err, sources.ErrUnauthorized) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.Count(""); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

func TestChallengesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"", "Bearer", "Bearer =", `Bearer realm="`, "Negotiate", "Digest realm=x", "Basic", `Bearer realm="x",realm=`, strings.Repeat("Bearer ", 1000), "\x00"} {
		s := guarded(t, bearer())
		fault(t, s, challenge(header))
		_, err := connect(t, s, with(signedIn())).Versions(t.Context(), rocket)
		if !errors.Is(err, sources.ErrUnauthorized) {
			t.Errorf("%q: %v", header, err)
		}
		if n := s.Count(""); n > 2 {
			t.Errorf("%q: %d requests", header, n)
		}
	}
}

// A registry that answers 401 whatever it gets is not asked forever.
func TestEndless401(t *testing.T) {
	t.Parallel()
	for _, auth := range []registrytest.OCIAuth{basic(), bearer()} {
		s := guarded(t, auth)
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Status: 401})
		_, err := connect(t, s, with(signedIn())).Versions(t.Context(), rocket)
		if !errors.Is(err, sources.ErrUnauthorized) || !strings.Contains(err.Error(), "are not accepted") {
			t.Errorf("error is %v", err)
		}
		if n := s.Count(registrytest.KindOCITags); n > 3 {
			t.Errorf("%d requests", n)
		}
	}
}

// Tokens that have expired are replaced.
func TestExpiredTokens(t *testing.T) {
	t.Parallel()
	auth := bearer()
	auth.TokenLife = 1 // ns
	s := guarded(t, auth)
	source := connect(t, s, with(signedIn()))
	if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrUnauthorized) {
		t.Errorf("a token that is never valid: %v", err)
	}
	s = guarded(t, bearer())
	source = connect(t, s, with(signedIn()))
	if err := install(t, source); err != nil {
		t.Fatal(err)
	}
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIManifest, Times: 1, Status: 401})
	if err := install(t, source); err != nil {
		t.Errorf("a token that is not valid any more: %v", err)
	}
}

// An access token that is not valid any more is replaced where there is a token to get another with.
func TestSpentAccessTokens(t *testing.T) {
	t.Parallel()
	auth := bearer()
	auth.RefreshTokens = map[string]string{"refresh": user}
	s := guarded(t, auth)
	source := connect(t, s, with(&static{credential: ocimirror.Credential{AccessToken: "old", RefreshToken: "refresh"}}))
	for range 2 {
		if err := install(t, source); err != nil {
			t.Fatal(err)
		}
	}
	old := 0
	for _, r := range s.Requests() {
		if r.Authorization == "Bearer old" {
			old++
		}
	}
	if old == 0 || old > 2 || s.Count(registrytest.KindOCIToken) != 1 {
		t.Errorf("the old token came %d times, and %d new ones were asked for", old, s.Count(registrytest.KindOCIToken))
	}
}

// Those who need a token at the same time wait for one.
func TestOneTokenForAll(t *testing.T) {
	t.Parallel()
	s := guarded(t, bearer())
	credentials := signedIn()
	source := connect(t, s, with(credentials))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := source.Versions(t.Context(), rocket); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := s.Count(registrytest.KindOCIToken); n > 4 {
		t.Errorf("%d tokens were asked for", n)
	}
}

// Why there are no credentials is part of the refusal, if it is a file that could not be read.
func TestRefusalsTellOfBrokenFiles(t *testing.T) {
	t.Parallel()
	s := guarded(t, bearer())
	broken := file(t, "config.json", "{")
	for _, ask := range []func(sources.Source) error{
		func(source sources.Source) error { _, err := source.Versions(t.Context(), rocket); return err },
		func(source sources.Source) error { _, err := describe(t, source); return err },
	} {
		err := ask(connect(t, s, with(&ocimirror.Keychain{ConfigFiles: []string{broken}})))
		if !errors.Is(err, sources.ErrUnauthorized) || strings.Count(err.Error(), broken) != 1 {
			t.Errorf("error is %v", err)
		}
	}
}
