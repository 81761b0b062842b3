package netmirror_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// install installs rocket from a source, if one of these keys has signed it.
func install(t *testing.T, source sources.Source, signers ...string) (*installer.Result, error) {
	t.Helper()
	in := &installer.Installer{Source: source, Dir: t.TempDir(), Platform: linux, Policy: installer.Policy{Signers: signers}}
	return in.Install(t.Context(), installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("1.0.0")}})
}

// Signatures are verified end to end, also by the first client, whose archive nobody had asked for.
func TestSignaturesGoThrough(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	h := readThrough(t, registry(start(t, registrytest.Config{Signer: signer})))
	for range 2 {
		result, err := install(t, through(t, h), signer.Fingerprint())
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Packages[0].Proof.Signer; got == nil || got.Fingerprint != signer.Fingerprint() {
			t.Errorf("signer is %+v", got)
		}
	}
}

// An origin whose keys, signatures and archives were all replaced convinces the mirror, but nobody who knows the key.
func TestSwappedKeysAreNoticedByWhoPinsTheKey(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	h := readThrough(t, registry(start(t, registrytest.Config{Signer: newSigner(t)})))
	_, err := install(t, through(t, h), signer.Fingerprint())
	var policy *installer.PolicyError
	if !errors.As(err, &policy) {
		t.Errorf("error is %v", err)
	}
}

// The installer's policy is the mirror's.
func TestAMirrorThatPinsTheKey(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	source := registry(start(t, registrytest.Config{Signer: newSigner(t)}))
	store := t.TempDir()
	h := readThrough(t, source, in(store), func(c *netmirror.HandlerConfig) {
		c.Fetch = fetching(&installer.Installer{Source: source, Policy: installer.Policy{Signers: []string{signer.Fingerprint()}}})
	})
	expect(t, h, rocketLinux, http.StatusBadGateway)
	if got := archives(t, store); len(got) != 0 {
		t.Errorf("stored: %v", got)
	}
}

func TestAllowedAndDeniedProviders(t *testing.T) {
	t.Parallel()
	patterns := func(texts ...string) []sources.Pattern {
		var all []sources.Pattern
		for _, text := range texts {
			p, err := sources.ParsePattern(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		return all
	}
	s := newShelf("1.0.0")
	h := s.before(t, func(c *netmirror.HandlerConfig) {
		c.Allow, c.Deny = patterns("registry.example.com/acme/*", "bücher.example.com/*/*"), patterns("registry.example.com/acme/rocket")
	})
	for path, status := range map[string]int{
		rocketIndex: 403, rocketV1: 403, rocketLinux: 403,
		"/Registry.Example.com/ACME/Rocket/index.json":      403,
		"/registry.example.com/acme/alpha/index.json":       200,
		"/registry.example.com/other/alpha/index.json":      403,
		"/xn--bcher-kva.example.com/other/alpha/index.json": 200,
		"/nonsense": 404,
	} {
		expect(t, h, path, status)
	}
	if got := h.Stats(); got.Denied != 5 || got.Questions != 2 {
		t.Errorf("stats are %+v", got)
	}
}

// Clients send the token with documents and not with archives, so that their URLs have to be enough.
func TestTokens(t *testing.T) {
	t.Parallel()
	const token = "mirror-secret"
	s := newShelf("1.0.0")
	h := s.before(t, func(c *netmirror.HandlerConfig) { c.Authorize = netmirror.BearerTokens("", "other", token) })
	for _, path := range []string{rocketIndex, rocketV1, rocketLinux, "/nonsense"} {
		for _, header := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + token, token, "Bearer mirror-secre", "Bearer mirror-secret-", "Bearer  , "} {
			w := expect(t, h, path, http.StatusUnauthorized, "Authorization", header)
			if !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("header is %v", w.Header())
			}
		}
	}
	if asked, _ := s.counts(); asked != 0 {
		t.Error("the source was asked by people who may not ask")
	}
	for _, path := range []string{rocketIndex, rocketV1, rocketLinux} {
		w := expect(t, h, path, http.StatusOK, "Authorization", "bearer "+token)
		if !strings.HasPrefix(w.Header().Get("Cache-Control"), "private, ") {
			t.Errorf("header is %v", w.Header())
		}
	}
	source := through(t, h, func(c *netmirror.Config) { c.Credentials = everywhere(token) })
	if _, err := install(t, source); err != nil {
		t.Error(err)
	}
	nobody := s.before(t, func(c *netmirror.HandlerConfig) { c.Authorize = netmirror.BearerTokens("") })
	expect(t, nobody, rocketIndex, http.StatusUnauthorized, "Authorization", "Bearer ")
}

// A program's own rule has its own words; without a challenge there is no point in asking again.
func TestOwnAuthorization(t *testing.T) {
	t.Parallel()
	h := newShelf("1.0.0").before(t, func(c *netmirror.HandlerConfig) {
		c.Authorize = func(*http.Request) error { return errors.New("secret reasons") }
	})
	if w := expect(t, h, rocketIndex, http.StatusForbidden); strings.Contains(w.Body.String(), "secret") {
		t.Errorf("the answer is %s", w.Body)
	}
}

func TestTickets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("1.0.0", "1.1.0")
		store := t.TempDir()
		closed := func(c *netmirror.HandlerConfig) { c.Authorize = netmirror.BearerTokens("secret") }
		h := s.before(t, in(store), closed)
		time.Sleep(50 * time.Minute)
		reference := ticketOf(t, h)
		path := strings.Replace(rocketV1, "1.0.0.json", reference, 1)
		later := strings.Replace(path, "1.0.0", "1.1.0", 1)
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		query.Set("expires", query.Get("expires")+"0")
		longer := u.Path + "?" + query.Encode()
		expect(t, h, path, http.StatusOK)
		expect(t, s.before(t, in(store), closed), path, http.StatusOK) // another process
		for _, wrong := range []string{rocketLinux, later, longer, path + "x", rocketIndex + "?" + u.RawQuery} {
			expect(t, h, wrong, http.StatusUnauthorized)
		}
		expect(t, s.before(t, closed), path, http.StatusUnauthorized) // another mirror
		time.Sleep(netmirror.TicketLife / 2)
		expect(t, h, path, http.StatusOK)
		time.Sleep(netmirror.TicketLife / 2)
		expect(t, h, path, http.StatusUnauthorized)
		if ticketOf(t, h) == reference {
			t.Error("the URL is the same after its end")
		}
	})
}

// ticketOf returns the URL of rocket 1.0.0 for linux in the document.
func ticketOf(t *testing.T, h http.Handler) string {
	t.Helper()
	var document struct {
		Archives map[string]struct{ URL string }
	}
	body := expect(t, h, rocketV1, http.StatusOK, "Authorization", "Bearer secret").Body.Bytes()
	if err := json.Unmarshal(body, &document); err != nil || document.Archives["linux_amd64"].URL == "" {
		t.Fatalf("%s: %v", body, err)
	}
	return document.Archives["linux_amd64"].URL
}

// Whoever filled the store with archives of their own has nothing signed about them, though the origin signs.
func TestWhatIsSignedIsNotSaidOfOtherArchives(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	expect(t, newShelf("1.0.0").before(t, in(store)), rocketLinux, http.StatusOK)
	now := func(c *netmirror.HandlerConfig) { c.IndexTTL, c.VersionTTL = -1, -1 }
	h := readThrough(t, registry(start(t, registrytest.Config{})), in(store), now)
	if body := expect(t, h, rocketV1, http.StatusOK).Body.String(); strings.Contains(body, "origin_statement") || !strings.Contains(body, "darwin_arm64") {
		t.Errorf("the document is %s", body)
	}
	if _, err := install(t, through(t, h)); err != nil {
		t.Error(err)
	}
}
