package netmirror_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const token = "mirror-secret"

// withToken gives the source the mirror's token, and others for hosts that are none of its business.
func withToken(s *registrytest.Server) func(*netmirror.Config) {
	return func(c *netmirror.Config) {
		c.Credentials = sources.StaticCredentials{
			sources.MustParseHost(s.Host()):                   token,
			sources.MustParseHost("127.0.0.1"):                "of another port",
			sources.MustParseHost("registry.example.com"):     "of the provider's host",
			sources.MustParseHost("localhost" + portOf(s)):    "of another name",
			sources.MustParseHost("mirror.example.com:12345"): "of a stranger",
		}
	}
}

func portOf(s *registrytest.Server) string { return s.Host()[strings.LastIndex(s.Host(), ":"):] }

// carried returns which kinds of requests came with which token.
func carried(s *registrytest.Server) map[registrytest.Kind]string {
	tokens := make(map[registrytest.Kind]string)
	for _, r := range s.Requests() {
		tokens[r.Kind] = strings.TrimPrefix(r.Authorization, "Bearer ")
	}
	return tokens
}

func get(t *testing.T, source *netmirror.Source) error {
	t.Helper()
	if _, err := source.Versions(t.Context(), rocket); err != nil {
		return err
	}
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		return err
	}
	_, err = fetch(t.Context(), pkg)
	return err
}

func TestDocumentsCarryTheToken(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{MirrorToken: token})
	if err := get(t, connect(t, s, withToken(s))); err != nil {
		t.Fatal(err)
	}
	got := carried(s)
	if got[registrytest.KindMirrorIndex] != token || got[registrytest.KindMirrorVersion] != token || got[registrytest.KindArchive] != "" {
		t.Errorf("tokens are %v, want one with the documents, none with the archive", got)
	}
}

func TestArchivesCarryTheTokenOnRequest(t *testing.T) {
	t.Parallel()
	use := func(c *netmirror.Config) { c.UseMirrorCredentials = true }
	s := start(t, registrytest.Config{MirrorToken: token})
	if err := get(t, connect(t, s, withToken(s), use)); err != nil {
		t.Fatal(err)
	}
	if got := carried(s)[registrytest.KindArchive]; got != token {
		t.Errorf("the archive's request carried %q", got)
	}

	elsewhere := start(t, registrytest.Config{MirrorToken: token, FilesHost: "localhost"})
	if err := get(t, connect(t, elsewhere, withToken(elsewhere), use)); err != nil {
		t.Fatal(err)
	}
	if got := carried(elsewhere)[registrytest.KindArchive]; got != "" {
		t.Errorf("the request to another origin carried %q", got)
	}
}

func TestRedirectsLeaveTheTokenBehind(t *testing.T) {
	t.Parallel()
	other := start(t, registrytest.Config{})
	s := start(t, registrytest.Config{MirrorToken: token})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindMirrorIndex, Redirect: other.MirrorURL() + "registry.example.com/acme/rocket/index.json"})
	source := connect(t, s, withToken(s), func(c *netmirror.Config) { c.Client = trusting(s, other) })
	if _, err := source.Versions(t.Context(), rocket); err != nil {
		t.Fatal(err)
	}
	if got := carried(other)[registrytest.KindMirrorIndex]; got != "" {
		t.Errorf("after the redirect the request carried %q", got)
	}
}

func TestWithoutOrWithWrongToken(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{MirrorToken: token})
	if err := get(t, connect(t, s)); !errors.Is(err, sources.ErrUnauthorized) || !strings.Contains(err.Error(), "no credentials were sent") {
		t.Errorf("without token: %v", err)
	}
	wrong := func(c *netmirror.Config) {
		c.Credentials = sources.StaticCredentials{sources.MustParseHost(s.Host()): "wrong"}
	}
	if err := get(t, connect(t, s, wrong)); !errors.Is(err, sources.ErrUnauthorized) || !strings.Contains(err.Error(), "are not accepted") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("with a wrong token: %v", err)
	}
}

type brokenHelper struct{ error }

func (b brokenHelper) Token(context.Context, sources.Host) (sources.Token, error) { return "", b.error }

func TestCredentialsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	cause := errors.New("helper failed")
	err := get(t, connect(t, s, func(c *netmirror.Config) { c.Credentials = brokenHelper{cause} }))
	var credentials *sources.CredentialsError
	if !errors.Is(err, cause) || !errors.As(err, &credentials) || credentials.Host.String() != s.Host() {
		t.Errorf("error is %v", err)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were made all the same", n)
	}
}
