package netmirror_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

func newSigner(t *testing.T) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// keeping is a mirror that keeps what a signer signed of rocket 1.0.0.
func keeping(t *testing.T, signer *registrytest.Signer, edits ...func(*registrytest.Config)) *registrytest.Server {
	t.Helper()
	r := released("1.0.0")
	r.MirrorStatement, r.ExtraKeys = true, []*registrytest.Signer{newSigner(t)}
	cfg := registrytest.Config{Signer: signer, Releases: []registrytest.Release{r}}
	for _, edit := range edits {
		edit(&cfg)
	}
	return start(t, cfg)
}

// ask asks who vouches for rocket 1.0.0 on linux.
func ask(t *testing.T, source *netmirror.Source) (hashing.Claims, error) {
	t.Helper()
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		return hashing.Claims{}, err
	}
	if pkg.Claims == nil {
		t.Fatal("there are no claims")
	}
	return pkg.Claims(t.Context())
}

func TestAStatementIsASignature(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	s := keeping(t, signer, func(c *registrytest.Config) { c.Releases[0].Manifest = true })
	got, err := ask(t, connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if got.Signer == nil || got.Signer.Fingerprint != signer.Fingerprint() || !got.Signer.Carried || got.Statement == nil || len(got.Statement.Keys) != 2 {
		t.Errorf("claims are %+v", got)
	}
	var told []string
	for _, c := range append(got.Package, got.Others...) {
		told = append(told, fmt.Sprintf("%s %s %s", c.Platform, c.Hash.Scheme(), c.Authority))
	}
	want := []string{"linux_amd64 zh signed", "linux_amd64 h1 reported", "darwin_arm64 zh signed", " zh signed"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("claims (-want, +got): %s", diff)
	}
}

// With trust_all_hashes, other platforms' hashes are reported as before, in addition to what is signed.
func TestAllHashesBesideAStatement(t *testing.T) {
	t.Parallel()
	trusting := func(c *netmirror.Config) { c.TrustAllHashes = true }
	got, err := ask(t, connect(t, keeping(t, newSigner(t)), trusting))
	if err != nil {
		t.Fatal(err)
	}
	var others []string
	for _, c := range got.Others {
		others = append(others, fmt.Sprintf("%s %s %s", c.Platform, c.Hash.Scheme(), c.Authority))
	}
	if want := []string{"darwin_arm64 zh signed", "darwin_arm64 h1 reported"}; !slices.Equal(others, want) {
		t.Errorf("others are %q, want %q", others, want)
	}
}

func TestASourceWithStatementsKeepsTheRules(t *testing.T) {
	t.Parallel()
	const token = "mirror-secret"
	s := keeping(t, newSigner(t), func(c *registrytest.Config) { c.MirrorToken = token })
	fixture := sourcetest.Fixture{Secrets: []string{token}}
	for _, on := range []sources.Platform{linux, darwin} {
		fixture.Packages = append(fixture.Packages, sourcetest.Package{Provider: rocket, Version: v1, Platform: on})
	}
	if err := sourcetest.TestSource(t.Context(), connect(t, s, withToken(s)), fixture); err != nil {
		t.Error(err)
	}
}

// The packages of a version share a statement.
func TestAStatementIsFetchedOnce(t *testing.T) {
	t.Parallel()
	s := keeping(t, newSigner(t))
	source := connect(t, s)
	for _, on := range []sources.Platform{linux, darwin, linux} {
		pkg, err := source.Package(t.Context(), rocket, v1, on)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pkg.Claims(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := []int{s.Count(registrytest.KindSums), s.Count(registrytest.KindSignature), s.Count(registrytest.KindKey)}; !slices.Equal(n, []int{1, 1, 2}) {
		t.Errorf("there were %d requests for sums, signature, keys", n)
	}
}

// A release that was replaced since the source last looked is judged by its own statement.
func TestAStatementThatWasReplaced(t *testing.T) {
	t.Parallel()
	s := keeping(t, newSigner(t))
	source := connect(t, s)
	if _, err := ask(t, source); err != nil {
		t.Fatal(err)
	}
	other := newSigner(t)
	r := released("1.0.0")
	r.MirrorStatement, r.Signer, r.Executable = true, other, []byte("another one")
	if err := s.Add(r); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(t, source); err != nil || got.Signer.Fingerprint != other.Fingerprint() {
		t.Errorf("claims are %+v, %v", got, err)
	}
}

// member makes the document of a version say something else about its statement.
// What is signed must be this very package, and what the mirror says of it must agree.
// resign makes the mirror's checksums others, with a good signature.
// Parts of a statement are documents of the mirror: they carry its token, and nowhere else.
func TestStatementsCarryTheTokenToTheirOwnOrigin(t *testing.T) {
	t.Parallel()
	parts := []registrytest.Kind{registrytest.KindSums, registrytest.KindSignature, registrytest.KindKey}
	for host, want := range map[string]string{"": token, "localhost": ""} {
		s := keeping(t, newSigner(t), func(c *registrytest.Config) { c.MirrorToken, c.FilesHost = token, host })
		if _, err := ask(t, connect(t, s, withToken(s))); err != nil {
			t.Fatal(err)
		}
		got := carried(s)
		for _, kind := range parts {
			if token, ok := got[kind]; !ok || token != want {
				t.Errorf("on %q, the request for the %s carried %q", host, kind, token)
			}
		}
	}
}

func TestRedirectedStatementsLeaveTheTokenBehind(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	other, s := keeping(t, signer), keeping(t, signer, func(c *registrytest.Config) { c.MirrorToken = token })
	fault(t, s, registrytest.Fault{Kind: registrytest.KindSums, Hook: func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.URL()+r.URL.Path, http.StatusFound)
		return true
	}})
	source := connect(t, s, withToken(s), func(c *netmirror.Config) { c.Client = trusting(s, other) })
	if _, err := ask(t, source); err != nil {
		t.Fatal(err)
	}
	if got, ok := carried(other)[registrytest.KindSums]; !ok || got != "" {
		t.Errorf("after the redirect the request carried %q", got)
	}
}

func TestAskingForStatementsEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s := keeping(t, newSigner(t))
	ctx, cancel := context.WithCancel(t.Context())
	fault(t, s, registrytest.Fault{Kind: registrytest.KindKey, Hook: func(_ http.ResponseWriter, r *http.Request) bool {
		cancel()
		<-r.Context().Done()
		return true
	}})
	pkg, err := connect(t, s).Package(ctx, rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pkg.Claims(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// Whoever runs the mirror can replace everything, and is found out by those who know the key.
// An archive that is not the signed one is refused by everybody.
