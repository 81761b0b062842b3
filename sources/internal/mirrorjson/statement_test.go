package mirrorjson_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

var v1 = sources.MustParseVersion("1.0.0")

func names(files []mirrorjson.File) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.Name)
	}
	return all
}

func TestStatementFiles(t *testing.T) {
	t.Parallel()
	statement := hashing.Statement{Sums: []byte("sums"), Signature: []byte("signature"), Keys: []string{"one", "two"}}
	files, refers := mirrorjson.StatementFiles(rocket, v1, &statement)
	const sums = "terraform-provider-rocket_1.0.0_8ca471c756000c41_SHA256SUMS"
	if want := []string{sums + ".sig", sums + ".key1.asc", sums + ".key2.asc", sums}; !slices.Equal(names(files), want) {
		t.Errorf("files are %q, want %q", names(files), want)
	}
	want := &mirrorjson.Statement{Sums: sums, Signature: sums + ".sig", Keys: []string{sums + ".key1.asc", sums + ".key2.asc"}}
	if diff := cmp.Diff(want, refers); diff != "" || refers.Check() != nil {
		t.Errorf("the member (-want, +got): %s, %v", diff, refers.Check())
	}
	for _, f := range files {
		v, of, ok := mirrorjson.ParseStatementName(f.Name, rocket)
		if !ok || v != v1 || of != sums {
			t.Errorf("%s is of %s, of version %s, %v", f.Name, of, v, ok)
		}
	}
}

// A name never has other contents: every part counts, and where it ends.
func TestStatementsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, s := range []hashing.Statement{
		{Sums: []byte("ab"), Signature: []byte("c"), Keys: []string{"d", "e"}},
		{Sums: []byte("a"), Signature: []byte("bc"), Keys: []string{"d", "e"}},
		{Sums: []byte("ab"), Signature: []byte("c"), Keys: []string{"e", "d"}},
		{Sums: []byte("ab"), Signature: []byte("c"), Keys: []string{"de"}},
		{Sums: []byte("ab"), Signature: []byte("c"), Keys: []string{"d", "e", ""}},
	} {
		_, refers := mirrorjson.StatementFiles(rocket, v1, &s)
		if seen[refers.Sums] {
			t.Errorf("%+v has the name of another", s)
		}
		seen[refers.Sums] = true
	}
}

func TestNamesOfStatements(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS":              "1.0.0",
		"terraform-provider-rocket_1.0_x_SHA256SUMS.sig":            "1.0.0",
		"terraform-provider-rocket_1.0.0+b.1_x_SHA256SUMS":          "1.0.0+b.1",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS.key32.asc":    "1.0.0",
		"terraform-provider-rocket_1.0.0_SHA256SUMS":                "", // the origin's own
		"terraform-provider-rocket_1.0.0__SHA256SUMS":               "",
		"terraform-provider-rocket_1.0.0_x_y_SHA256SUMS":            "",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS.72D7468F.sig": "",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS.key0.asc":     "",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS.key01.asc":    "",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS.key33.asc":    "",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS.key1":         "",
		"terraform-provider-rocket_x_x_SHA256SUMS":                  "",
		"terraform-provider-rover_1.0.0_x_SHA256SUMS":               "",
		"terraform-provider-rocket_1.0.0_x_SHA256SUMS_SHA256SUMS":   "",
		"_SHA256SUMS": "",
		"":            "",
	} {
		v, sums, ok := mirrorjson.ParseStatementName(name, rocket)
		if ok != (want != "") || ok && (v != sources.MustParseVersion(want) || !strings.HasSuffix(sums, "_SHA256SUMS") || !strings.HasPrefix(name, sums)) {
			t.Errorf("%q is of %q, of version %s, %v", name, sums, v, ok)
		}
	}
}

func zh(digit string) hashing.Hash { return hashing.Hash("zh:" + strings.Repeat(digit, 64)) }

func claim(platform string, hash hashing.Hash, authority hashing.Authority) hashing.Claim {
	return hashing.Claim{Platform: platform, Hash: hash, Authority: authority}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	signed := hashing.Claims{
		Package: []hashing.Claim{claim("linux_amd64", zh("1"), hashing.Signed)},
		Others:  []hashing.Claim{claim("darwin_arm64", zh("2"), hashing.Signed), claim("", zh("3"), hashing.Signed)},
	}
	told := hashing.Claims{
		Package: []hashing.Claim{claim("linux_amd64", "h1:1", hashing.Reported), claim("linux_amd64", zh("1"), hashing.Reported)},
		Others:  []hashing.Claim{claim("darwin_arm64", "h1:2", hashing.Reported), claim("plan9_mips", zh("4"), hashing.Reported), claim("", zh("5"), hashing.Reported)},
	}
	got, err := mirrorjson.Merge(signed, told)
	if err != nil {
		t.Fatal(err)
	}
	want := hashing.Claims{
		Package: append(slices.Clone(signed.Package), told.Package[0]),
		Others:  append(slices.Clone(signed.Others), told.Others...),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want, +got): %s", diff)
	}
	for name, told := range map[string]hashing.Claims{
		"package": {Package: []hashing.Claim{claim("linux_amd64", zh("2"), hashing.Reported)}},
		"others":  {Others: []hashing.Claim{claim("darwin_arm64", zh("1"), hashing.Reported)}},
	} {
		var mismatch *hashing.MismatchError
		if got, err := mirrorjson.Merge(signed, told); !errors.As(err, &mismatch) || mismatch.By != hashing.BySums || got.Package != nil {
			t.Errorf("%s: claims are %+v, %v", name, got, err)
		}
	}
}

func FuzzStatementNames(f *testing.F) {
	f.Add("terraform-provider-rocket_1.0.0_x_SHA256SUMS.key1.asc")
	f.Add("terraform-provider-rocket_1.0.0_x_SHA256SUMS")
	f.Fuzz(func(t *testing.T, name string) {
		_, sums, ok := mirrorjson.ParseStatementName(name, rocket)
		if _, again, sure := mirrorjson.ParseStatementName(sums, rocket); ok && (!strings.HasPrefix(name, sums) || !sure || again != sums) {
			t.Errorf("%q is of %q, which is of %q", name, sums, again)
		}
	})
}
