package signed_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The origin's registry offers the keys: they are not carried.
func TestClaimsOfTheOrigin(t *testing.T) {
	t.Parallel()
	st := statement(t, release, newSigner(t, registrytest.SignerOptions{}))
	doc, err := signed.Verify(st)
	if err != nil {
		t.Fatal(err)
	}
	r := linux
	r.Filename, r.Archive = "terraform-provider-alpha_1.0.0_linux_amd64.zip", zh(1)
	claims, err := doc.Claims(r)
	if err != nil || claims.Signer == nil || claims.Signer.Carried || claims.Statement != st {
		t.Fatalf("claims are %+v, %v", claims, err)
	}
	want := []hashing.Claim{{Hash: zh(1), Authority: hashing.Signed, Platform: "linux_amd64"}}
	if !slices.Equal(claims.Package, want) {
		t.Errorf("claims are %v, want %v", claims.Package, want)
	}
	others := []hashing.Claim{
		{Hash: zh(2), Authority: hashing.Signed, Platform: "darwin_arm64"},
		{Hash: zh(3), Authority: hashing.Signed},
		{Hash: zh(4), Authority: hashing.Reported},
	}
	if !slices.Equal(claims.Others, others) {
		t.Errorf("other claims are %v, want %v", claims.Others, others)
	}
}

// A registry may name the file as it likes; the signature then says nothing about version and platform.
func TestOddNamesAreReported(t *testing.T) {
	t.Parallel()
	author := newSigner(t, registrytest.SignerOptions{})
	for _, filename := range []string{
		"alpha.zip",
		"terraform-provider-alpha_0.9.0_linux_amd64.zip",
		"terraform-provider-beta_1.0.0_linux_amd64.zip",
		"terraform-provider-alpha_1.0.0_darwin_arm64.zip",
		"terraform-provider-alpha_1.0.0_darwin_all.zip",
		"terraform-provider-alpha_1.0.0.zip",
	} {
		doc, err := signed.Verify(statement(t, document(entry(1, filename)), author))
		if err != nil {
			t.Fatal(err)
		}
		r := linux
		r.Filename = filename
		claims, err := doc.Claims(r)
		want := []hashing.Claim{{Hash: zh(1), Authority: hashing.Reported, Platform: "linux_amd64"}}
		if err != nil || !slices.Equal(claims.Package, want) {
			t.Errorf("%s: claims are %v, %v; want %v", filename, claims.Package, err, want)
		}
	}
}

func TestUnsignedDocumentsAreReported(t *testing.T) {
	t.Parallel()
	doc, err := signed.Read(release)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := doc.Claims(linux)
	if err != nil || claims.Signer != nil || claims.Statement != nil || len(claims.Package) != 1 || len(claims.Others) != 3 {
		t.Fatalf("claims are %+v, %v", claims, err)
	}
	for _, claim := range append(claims.Package, claims.Others...) {
		if claim.Authority != hashing.Reported {
			t.Errorf("claim %v is %s", claim.Hash, claim.Authority)
		}
	}
	r := linux
	r.Filename = "terraform-provider-alpha_1.0.0_linux_386.zip"
	if _, err := doc.Claims(r); !errors.Is(err, sources.ErrMalformed) {
		t.Errorf("a file that is not listed: error is %v", err)
	}
	if _, err := signed.Verify(&hashing.Statement{Sums: release}); !errors.Is(err, signature.ErrUnsigned) {
		t.Errorf("verified without a signature: error is %v", err)
	}
}

func TestPlatformOf(t *testing.T) {
	t.Parallel()
	for filename, want := range map[string]string{
		"terraform-provider-alpha_1.0.0_linux_amd64.zip":      "linux_amd64",
		"terraform-provider-alpha_1.0.0_fips_linux_amd64.zip": "linux_amd64",
		"terraform-provider-alpha_1.0.0_linux_amd64":          "",
		"terraform-provider-alpha_1.0.0.zip":                  "",
		"linux_amd64.zip":                                     "",
		"x_Linux_amd64.zip":                                   "",
		"x_linux_.zip":                                        "",
		"":                                                    "",
	} {
		if got := signed.PlatformOf(filename); got != want {
			t.Errorf("PlatformOf(%q) = %q, want %q", filename, got, want)
		}
	}
}
