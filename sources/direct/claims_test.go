package direct_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func signer(t *testing.T, opts registrytest.SignerOptions) *registrytest.Signer {
	t.Helper()
	s, err := registrytest.NewSigner("Acme, Inc.", opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// byDefault makes the registry the default one, which may offer no keys.
func byDefault(s *registrytest.Server) func(*direct.Config) {
	return func(c *direct.Config) { c.UnsignedInsecure = []sources.Host{sources.MustParseHost(s.Host())} }
}

// examine returns the claims about acme/alpha 1.0.0 for linux, and the hash of the archive.
func examine(t *testing.T, s *registrytest.Server, edit func(*direct.Config)) (hashing.Claims, hashing.Hash, error) {
	t.Helper()
	pkg, err := connect(s, edit).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := pkg.Claims(t.Context())
	archive, fetchErr := fetch(t.Context(), pkg)
	if fetchErr != nil {
		t.Fatal(fetchErr)
	}
	return claims, hashing.ZH(sha256.Sum256(archive)), err
}

func TestSignedClaims(t *testing.T) {
	t.Parallel()
	author := signer(t, registrytest.SignerOptions{})
	release := alpha()
	release.Signer, release.Manifest = author, true
	release.ExtraKeys = []*registrytest.Signer{signer(t, registrytest.SignerOptions{})}
	claims, archive, err := examine(t, start(t, release), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []hashing.Claim{{Hash: archive, Authority: hashing.Signed, Platform: "linux_amd64"}}
	if !slices.Equal(claims.Package, want) {
		t.Errorf("claims = %v, want %v", claims.Package, want)
	}
	if claims.Signer == nil || claims.Signer.Fingerprint != author.Fingerprint() || !claims.Signer.ExpiredAt.IsZero() || claims.Signer.Carried {
		t.Errorf("signer = %+v", claims.Signer)
	}
	var others []string
	for _, claim := range claims.Others {
		others = append(others, claim.Platform)
		if claim.Authority != hashing.Signed || claim.Hash.Scheme() != hashing.SchemeZH {
			t.Errorf("other claim: %v", claim)
		}
	}
	if !slices.Equal(others, []string{"darwin_arm64", ""}) { // the manifest is for no platform
		t.Errorf("other claims are for %q", others)
	}
}

func TestExpiredSigner(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]registrytest.SignerOptions{"key": {Expired: true}, "signature": {ExpiredSignature: true}} {
		release := alpha()
		release.Signer = signer(t, opts)
		claims, _, err := examine(t, start(t, release), nil)
		if err != nil || claims.Package[0].Authority != hashing.Signed || claims.Signer.ExpiredAt.IsZero() {
			t.Errorf("%s: claims = %+v, %v; want signed ones that say so", name, claims, err)
		}
	}
}

func TestSignaturesThatDoNotCount(t *testing.T) {
	t.Parallel()
	stranger := signer(t, registrytest.SignerOptions{})
	for _, c := range []struct {
		name    string
		release func(*registrytest.Release)
		fault   registrytest.Fault
		is      error
	}{
		{"unknown issuer", nil, registrytest.Fault{WrongSigner: stranger}, signature.ErrUnknownIssuer},
		{"altered document", nil, registrytest.Fault{Kind: registrytest.KindSums, Edit: bytes.ToUpper}, signature.ErrBadSignature},
		{"altered signature", nil, registrytest.Fault{Kind: registrytest.KindSignature, WrongHash: true}, signature.ErrBadSignature},
		{"no signature", nil, registrytest.Fault{Kind: registrytest.KindSignature, Body: []byte("not found")}, signature.ErrBadSignature},
		{"empty signature", nil, registrytest.Fault{Kind: registrytest.KindSignature, Body: []byte{}}, signature.ErrUnsigned},
		{"revoked key", func(r *registrytest.Release) { r.Signer = signer(t, registrytest.SignerOptions{Revoked: true}) }, registrytest.Fault{}, signature.ErrRevoked},
		{"weak key", func(r *registrytest.Release) { r.Signer = signer(t, registrytest.SignerOptions{RSABits: 1024}) }, registrytest.Fault{}, signature.ErrWeak},
		{"malformed key", nil, registrytest.Fault{
			Kind: registrytest.KindPackage,
			Edit: set("signing_keys", map[string]any{"gpg_public_keys": []any{map[string]any{"ascii_armor": "-----BEGIN"}}}),
		}, signature.ErrMalformedKey},
		{"no keys", func(r *registrytest.Release) { r.Unsigned = true }, registrytest.Fault{}, signature.ErrUnsigned},
		{"null keys", nil, registrytest.Fault{Kind: registrytest.KindPackage, Edit: set("signing_keys", nil)}, signature.ErrUnsigned},
		{"null list of keys", nil, registrytest.Fault{
			Kind: registrytest.KindPackage, Edit: set("signing_keys", map[string]any{"gpg_public_keys": nil}),
		}, signature.ErrUnsigned},
		{"signature too large", nil, registrytest.Fault{Kind: registrytest.KindSignature, Body: make([]byte, signature.MaxSignatureBytes+1)}, sources.ErrTooLarge},
		{"sums too large", nil, registrytest.Fault{Kind: registrytest.KindSums, Body: make([]byte, hashing.MaxSumsBytes+1)}, sources.ErrTooLarge},
		{"signature absent", nil, registrytest.Fault{Kind: registrytest.KindSignature, Status: 500}, sources.ErrUnavailable},
		{"sums forbidden", nil, registrytest.Fault{Kind: registrytest.KindSums, Status: 403}, sources.ErrUnauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			release := alpha()
			if c.release != nil {
				c.release(&release)
			}
			s := start(t, release)
			if c.fault.Kind != "" || c.fault.WrongSigner != nil {
				misbehave(t, s, c.fault)
			}
			claims, _, err := examine(t, s, nil)
			if !errors.Is(err, c.is) {
				t.Errorf("error = %v, want %v", err, c.is)
			}
			if len(claims.Package) != 0 || claims.Signer != nil {
				t.Errorf("claims = %+v beside an error", claims)
			}
			if err != nil && !strings.Contains(err.Error(), "terraform-provider-alpha_1.0.0_linux_amd64.zip") {
				t.Errorf("the error does not tell which package it is about: %v", err)
			}
		})
	}
}

func TestUnsignedClaimsOfTheDefaultRegistry(t *testing.T) {
	t.Parallel()
	release := alpha()
	release.Unsigned = true
	s := start(t, release)
	claims, archive, err := examine(t, s, byDefault(s))
	if err != nil || claims.Signer != nil || claims.Statement != nil {
		t.Fatalf("claims = %+v, %v", claims, err)
	}
	for _, claim := range append(claims.Package, claims.Others...) {
		if claim.Authority != hashing.Reported {
			t.Errorf("claim = %v, want a reported one", claim)
		}
	}
	if claims.Package[0].Hash != archive {
		t.Errorf("claim = %v, want %s", claims.Package[0], archive)
	}
	if n := s.Count(registrytest.KindSignature); n != 0 {
		t.Errorf("%d requests for a signature that nobody can verify", n)
	}
}

// A default registry that does offer keys is held to them.
func TestSignedClaimsOfTheDefaultRegistry(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{WrongSigner: signer(t, registrytest.SignerOptions{})})
	if _, _, err := examine(t, s, byDefault(s)); !errors.Is(err, signature.ErrUnknownIssuer) {
		t.Errorf("error = %v, want ErrUnknownIssuer", err)
	}
}

// A registry that passes off an old, well signed release as a new one gets no signature's authority for it.
func TestASignatureIsForItsVersionOnly(t *testing.T) {
	t.Parallel()
	old, newer := alpha(), alpha()
	newer.Version = "1.1.0"
	s := start(t, old, newer)
	const oldPackage = "/v1/providers/acme/alpha/1.0.0/download/linux/amd64"
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Path: "/v1/providers/acme/alpha/1.1.0/*/*/*", Redirect: oldPackage})
	pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), sources.MustParseVersion("1.1.0"), linux)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := pkg.Claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range append(claims.Package, claims.Others...) {
		if claim.Authority != hashing.Reported {
			t.Errorf("claim %v of another version counts as %v", claim.Hash, claim.Authority)
		}
	}
}
