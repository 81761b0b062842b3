package direct_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// What the registry published can be carried away, and then proves the same wherever it arrives.
func TestTheStatementTravels(t *testing.T) {
	t.Parallel()
	author, stranger := signer(t, registrytest.SignerOptions{Subkey: true}), signer(t, registrytest.SignerOptions{})
	release := alpha()
	release.Signer, release.ExtraKeys = author, []*registrytest.Signer{stranger}
	s := start(t, release)
	claims, archive, err := examine(t, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	st := claims.Statement
	if st == nil || !slices.Equal(st.Keys, []string{stranger.Armored(), author.Armored()}) {
		t.Fatalf("statement is %+v, want the registry's keys in their order", st)
	}
	if !bytes.Contains(st.Sums, []byte(archive.Value()+"  terraform-provider-alpha_1.0.0_linux_amd64.zip\n")) {
		t.Errorf("sums are\n%s", st.Sums)
	}
	carried, err := signed.Carried(st, signed.Release{Provider: provider(t, s, "acme/alpha"), Version: v1, Platform: linux, Archive: archive})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(carried.Package, claims.Package) || !slices.Equal(carried.Others, claims.Others) {
		t.Errorf("carried, it claims %v and %v, at its origin %v and %v", carried.Package, carried.Others, claims.Package, claims.Others)
	}
	want := *claims.Signer
	want.Carried = true
	if *carried.Signer != want {
		t.Errorf("signer is %+v, want %+v", *carried.Signer, want)
	}
}

// A registry lists "1.0", and names its files so. Whoever carries the statement need not know.
func TestTheStatementTravelsInTheOriginsSpelling(t *testing.T) {
	t.Parallel()
	release := alpha()
	release.Version = "1.0"
	s := start(t, release)
	claims, archive, err := examine(t, s, nil)
	if err != nil || claims.Package[0].Authority != hashing.Signed {
		t.Fatalf("claims = %+v, %v", claims, err)
	}
	carried, err := signed.Carried(claims.Statement, signed.Release{Provider: provider(t, s, "acme/alpha"), Version: v1, Platform: linux})
	if err != nil || len(carried.Package) != 1 || carried.Package[0].Hash != archive {
		t.Errorf("carried, it claims %+v, %v", carried, err)
	}
}
