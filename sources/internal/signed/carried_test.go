package signed_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestCarried(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	st := statement(t, release, author)
	for name, archive := range map[string]hashing.Hash{"archive known": zh(1), "archive unknown": ""} {
		r := linux
		r.Archive = archive
		claims, err := signed.Carried(st, r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := []hashing.Claim{{Hash: zh(1), Authority: hashing.Signed, Platform: "linux_amd64"}}; !slices.Equal(claims.Package, want) {
			t.Errorf("%s: claims are %v, want %v", name, claims.Package, want)
		}
		others := []hashing.Claim{ // not README.md: the mirror has no say about what is not signed
			{Hash: zh(2), Authority: hashing.Signed, Platform: "darwin_arm64"},
			{Hash: zh(3), Authority: hashing.Signed},
		}
		if !slices.Equal(claims.Others, others) {
			t.Errorf("%s: other claims are %v, want %v", name, claims.Others, others)
		}
		if s := claims.Signer; s == nil || s.Fingerprint != author.Fingerprint() || !s.Carried || !s.ExpiredAt.IsZero() {
			t.Errorf("%s: signer is %+v", name, s)
		}
		if claims.Statement != st {
			t.Errorf("%s: the claims do not say what they rest on", name)
		}
	}
}

// Origins write sums and names in several ways. Each of these documents covers the package.
func TestCarriedUnderstands(t *testing.T) {
	t.Parallel()
	ed, subkey, stranger := newSigner(t, registrytest.SignerOptions{}), newSigner(t, registrytest.SignerOptions{Subkey: true}), newSigner(t, registrytest.SignerOptions{})
	usual := entry(1, "terraform-provider-alpha_1.0.0_linux_amd64.zip")
	for name, st := range map[string]*hashing.Statement{
		"a signing subkey":       statement(t, release, subkey),
		"two keys":               statement(t, release, ed, stranger),
		"keys after the signer":  {Sums: release, Signature: statement(t, release, ed).Signature, Keys: []string{ed.Armored(), stranger.Armored()}},
		"a short version":        statement(t, document(entry(1, "terraform-provider-alpha_1.0_linux_amd64.zip")), ed),
		"leading zeros":          statement(t, document(entry(1, "terraform-provider-alpha_1.00.0_linux_amd64.zip")), ed),
		"CR LF":                  statement(t, []byte(usual+"\r\n"), ed),
		"a marker for binaries":  statement(t, []byte(strings.Replace(usual, "  ", " *", 1)), ed),
		"another version beside": statement(t, document(entry(9, "terraform-provider-alpha_1.0.1_linux_amd64.zip"), usual), ed),
	} {
		r := linux
		r.Archive = zh(1)
		claims, err := signed.Carried(st, r)
		if err != nil || len(claims.Package) != 1 || claims.Package[0].Authority != hashing.Signed || claims.Package[0].Hash != zh(1) {
			t.Errorf("%s: claims are %+v, %v", name, claims, err)
		}
	}
}

// A key that has expired, or a signature, is a fact about the signer; the policy decides.
func TestCarriedMarksTheExpired(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]registrytest.SignerOptions{"key": {Expired: true}, "signature": {ExpiredSignature: true}} {
		claims, err := signed.Carried(statement(t, release, newSigner(t, options)), linux)
		if err != nil || claims.Package[0].Authority != hashing.Signed || claims.Signer.ExpiredAt.IsZero() || !claims.Signer.Carried {
			t.Errorf("%s: claims are %+v, %v; want signed ones that say so", name, claims, err)
		}
	}
}

// refused asserts that nothing of a statement counts, and that the error says what it is about.
func refused(t *testing.T, st *hashing.Statement, r signed.Release) error {
	t.Helper()
	claims, err := signed.Carried(st, r)
	if err == nil {
		t.Fatalf("accepted: %+v", claims)
	}
	if claims.Package != nil || claims.Others != nil || claims.Signer != nil || claims.Statement != nil {
		t.Errorf("claims %+v beside the error", claims)
	}
	if !strings.Contains(err.Error(), sources.ArchiveName(r.Provider, r.Version, r.Platform)) {
		t.Errorf("the error does not name the package: %v", err)
	}
	if errors.Is(err, sources.ErrNotFound) {
		t.Errorf("a chain would pass over it: %v", err)
	}
	return err
}

func TestCarriedRefusesBadSignatures(t *testing.T) {
	t.Parallel()
	author, stranger := newSigner(t, registrytest.SignerOptions{}), newSigner(t, registrytest.SignerOptions{})
	good := statement(t, release, author)
	another := document(entry(5, "terraform-provider-alpha_1.0.0_linux_amd64.zip"))
	armored := "-----BEGIN PGP SIGNATURE-----\n\n" + base64.StdEncoding.EncodeToString(good.Signature) + "\n-----END PGP SIGNATURE-----\n"
	flipped := slices.Clone(good.Signature)
	flipped[len(flipped)-1] ^= 1
	for _, test := range []struct {
		name string
		edit func(*hashing.Statement)
		is   error
	}{
		{"somebody else's key", func(s *hashing.Statement) { s.Keys = []string{stranger.Armored()} }, signature.ErrUnknownIssuer},
		{"somebody else's signature", func(s *hashing.Statement) { s.Signature = statement(t, release, stranger).Signature }, signature.ErrUnknownIssuer},
		{"other sums", func(s *hashing.Statement) { s.Sums = another }, signature.ErrBadSignature},
		{"the signature of other sums", func(s *hashing.Statement) { s.Signature = statement(t, another, author).Signature }, signature.ErrBadSignature},
		{"a line more", func(s *hashing.Statement) { s.Sums = append(slices.Clone(release), another...) }, signature.ErrBadSignature},
		{"other line ends", func(s *hashing.Statement) { s.Sums = bytes.ReplaceAll(release, []byte("\n"), []byte("\r\n")) }, signature.ErrBadSignature},
		{"a changed signature", func(s *hashing.Statement) { s.Signature = flipped }, signature.ErrBadSignature},
		{"an armored signature", func(s *hashing.Statement) { s.Signature = []byte(armored) }, signature.ErrBadSignature},
		{"a page for people", func(s *hashing.Statement) { s.Signature = []byte("<!DOCTYPE html>") }, signature.ErrBadSignature},
		{"no signature", func(s *hashing.Statement) { s.Signature = nil }, signature.ErrUnsigned},
		{"no keys", func(s *hashing.Statement) { s.Keys = nil }, signature.ErrUnsigned},
		{"nothing", func(s *hashing.Statement) { *s = hashing.Statement{} }, signature.ErrUnsigned},
		{"a key that is none", func(s *hashing.Statement) { s.Keys = []string{"key", author.Armored()} }, signature.ErrMalformedKey},
		{"a large signature", func(s *hashing.Statement) { s.Signature = make([]byte, signed.MaxSignature+1) }, signature.ErrTooLarge},
		{"a large key", func(s *hashing.Statement) { s.Keys = append(s.Keys, strings.Repeat("x", signed.MaxKey+1)) }, signature.ErrTooLarge},
		{"many keys", func(s *hashing.Statement) { s.Keys = slices.Repeat(s.Keys, signed.MaxKeys+1) }, signature.ErrTooLarge},
		{"a revoked key", func(s *hashing.Statement) {
			*s = *statement(t, release, newSigner(t, registrytest.SignerOptions{Revoked: true}))
		}, signature.ErrRevoked},
		{"a weak key", func(s *hashing.Statement) {
			*s = *statement(t, release, newSigner(t, registrytest.SignerOptions{RSABits: 1024}))
		}, signature.ErrWeak},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			st := *good
			st.Keys = slices.Clone(good.Keys)
			test.edit(&st)
			var typed *signature.Error
			if err := refused(t, &st, linux); !errors.Is(err, test.is) || !errors.As(err, &typed) {
				t.Errorf("error is %v, want %v", err, test.is)
			}
		})
	}
}

// What is well signed, by the right key, is nevertheless about something else.
func TestCarriedRefusesStatementsAboutOtherThings(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	for name, filename := range map[string]string{
		"an older version":         "terraform-provider-alpha_0.9.0_linux_amd64.zip",
		"a prerelease":             "terraform-provider-alpha_1.0.0-beta1_linux_amd64.zip",
		"a version with metadata":  "terraform-provider-alpha_1.0.0+build_linux_amd64.zip",
		"a version with a v":       "terraform-provider-alpha_v1.0.0_linux_amd64.zip",
		"another provider":         "terraform-provider-beta_1.0.0_linux_amd64.zip",
		"a longer provider":        "terraform-provider-alpha-beta_1.0.0_linux_amd64.zip",
		"another platform":         "terraform-provider-alpha_1.0.0_linux_arm64.zip",
		"another operating system": "terraform-provider-alpha_1.0.0_windows_amd64.zip",
		"upper case":               "terraform-provider-Alpha_1.0.0_linux_amd64.zip",
		"another variant":          "terraform-provider-alpha_1.0.0_fips_linux_amd64.zip",
		"a copy":                   "terraform-provider-alpha_1.0.0_linux_amd64.zip.bak",
		"a directory":              "dist/terraform-provider-alpha_1.0.0_linux_amd64.zip",
		"no platform":              "terraform-provider-alpha_1.0.0.zip",
		"no version":               "terraform-provider-alpha_linux_amd64.zip",
		"something":                "alpha.zip",
	} {
		st := statement(t, document(entry(1, filename)), author)
		for _, archive := range []hashing.Hash{"", zh(1)} { // the very archive is listed, under that name
			r := linux
			r.Archive, r.Filename = archive, filename // whatever the mirror calls it
			if err := refused(t, st, r); !errors.Is(err, sources.ErrMalformed) {
				t.Errorf("%s: error is %v, want ErrMalformed", name, err)
			}
		}
	}
	if err := refused(t, statement(t, nil, author), linux); !errors.Is(err, sources.ErrMalformed) {
		t.Errorf("no sums at all: error is %v", err)
	}
}

// The mirror's archive is not the one that was signed: it is another platform's, or nobody's.
func TestCarriedRefusesAnotherArchive(t *testing.T) {
	t.Parallel()
	st := statement(t, release, newSigner(t, registrytest.SignerOptions{}))
	for _, archive := range []hashing.Hash{zh(2), zh(4), zh(77)} {
		r := linux
		r.Archive = archive
		var mismatch *hashing.MismatchError
		if err := refused(t, st, r); !errors.As(err, &mismatch) || mismatch.By != hashing.BySums ||
			!slices.Equal(mismatch.Want, []hashing.Hash{zh(1)}) || !slices.Equal(mismatch.Got, []hashing.Hash{archive}) {
			t.Errorf("error is %v", err)
		}
	}
}

func TestCarriedRefusesDocumentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	const name = "terraform-provider-alpha_1.0.0_linux_amd64.zip"
	for what, sums := range map[string][]byte{
		"two sums for one name": document(entry(1, name), entry(2, name)),
		"a damaged line":        document(entry(1, name), "x"),
		"too large":             append(document(entry(1, name)), bytes.Repeat([]byte("\n"), signed.MaxSums)...),
	} {
		var wrong *hashing.SumsError
		if err := refused(t, statement(t, sums, author), linux); !errors.As(err, &wrong) {
			t.Errorf("%s: error is %v, want a *SumsError", what, err)
		}
	}
}

// Two spellings of one version are both the author's. Where the archive is known, one of them is it.
func TestCarriedTakesEitherSpelling(t *testing.T) {
	t.Parallel()
	st := statement(t, document(
		entry(1, "terraform-provider-alpha_1.0_linux_amd64.zip"),
		entry(2, "terraform-provider-alpha_1.0.0_linux_amd64.zip"),
	), newSigner(t, registrytest.SignerOptions{}))
	for _, archive := range []hashing.Hash{"", zh(1), zh(2)} {
		r := linux
		r.Archive = archive
		if claims, err := signed.Carried(st, r); err != nil || len(claims.Package) != 2 {
			t.Errorf("claims are %+v, %v", claims, err)
		}
	}
}

// Whatever a document lists, what counts as signed is named for the package.
func FuzzCarried(f *testing.F) {
	author := newSigner(f, registrytest.SignerOptions{})
	f.Add("terraform-provider-alpha_1.0.0_linux_amd64.zip", "README.md")
	f.Add("terraform-provider-alpha_1_linux_amd64.zip", "terraform-provider-alpha_1.0.0_x_linux_amd64.zip")
	f.Add("terraform-provider-alpha_1.0.0+_linux_amd64.zip", "terraform-provider-alpha_1.0.0-_linux_amd64.zip")
	f.Add("terraform-provider-alpha__linux_amd64.zip", "terraform-provider-alpha_1.0.0__linux_amd64.zip")
	f.Fuzz(func(t *testing.T, first, second string) {
		claims, err := signed.Carried(statement(t, document(entry(1, first), entry(2, second)), author), linux)
		if err != nil {
			return
		}
		names := map[hashing.Hash]string{zh(1): strings.TrimSpace(first), zh(2): strings.TrimSpace(second)}
		for _, claim := range claims.Package {
			name := names[claim.Hash]
			spelling, found := strings.CutSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "*"), "terraform-provider-alpha_"), "_linux_amd64.zip")
			if v, err := sources.ParseVersion(spelling); !found || err != nil || v != linux.Version || claim.Authority != hashing.Signed {
				t.Errorf("%q counts as %s", name, claim.Authority)
			}
		}
	})
}
