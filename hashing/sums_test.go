package hashing_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
)

// A document as GoReleaser publishes it: platforms in no order, the registry manifest among them.
const release = `8eb0e1e1b2a1ec31d0d3e8e0b5b2a6d5d1b7e6a59f8e1df0f2f9a0a0c6a7c001  terraform-provider-example_1.2.3_darwin_arm64.zip
0d5c6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b  terraform-provider-example_1.2.3_linux_amd64.zip
f0e1d2c3b4a5968778695a4b3c2d1e0ff0e1d2c3b4a5968778695a4b3c2d1e0f  terraform-provider-example_1.2.3_windows_386.zip
1111111122222222333333334444444455555555666666667777777788888888  terraform-provider-example_1.2.3_manifest.json
`

func TestParseSums(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	both := hashing.Sums{{"one.zip", hashing.Hash("zh:" + a)}, {"two.zip", hashing.Hash("zh:" + b)}}
	for _, test := range []struct {
		name, doc string
		want      hashing.Sums
	}{
		{"text mode", a + "  one.zip\n" + b + "  two.zip\n", both},
		{"binary mode", a + " *one.zip\n" + b + " *two.zip\n", both},
		{"CR LF", a + "  one.zip\r\n" + b + "  two.zip\r\n", both},
		{"no final line feed", a + "  one.zip\n" + b + "  two.zip", both},
		{"blank lines", "\n" + a + "  one.zip\n \t\r\n\n" + b + "  two.zip\n\n", both},
		{"upper case", strings.ToUpper(a) + "  one.zip\n" + b + "  two.zip\n", both},
		{"one space, a tab", a + " one.zip\n" + b + "\ttwo.zip\n", both},
		{"a repeated entry", a + "  one.zip\n" + b + "  two.zip\n" + strings.ToUpper(a) + " *one.zip\n", both},
		{"a space in the name", a + "  one two.zip\n", hashing.Sums{{"one two.zip", hashing.Hash("zh:" + a)}}},
		{"one sum for two names", a + "  x\n" + a + "  y\n", hashing.Sums{{"x", hashing.Hash("zh:" + a)}, {"y", hashing.Hash("zh:" + a)}}},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := hashing.ParseSums([]byte(test.doc))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("ParseSums = %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestParseSumsOfARelease(t *testing.T) {
	t.Parallel()
	sums, err := hashing.ParseSums([]byte(release))
	if err != nil || len(sums) != 4 {
		t.Fatalf("got %d entries, %v", len(sums), err)
	}
	const want = "zh:0d5c6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b"
	if got, ok := sums.Lookup("terraform-provider-example_1.2.3_linux_amd64.zip"); !ok || got != want {
		t.Errorf("Lookup = %s, %v; want %s", got, ok, want)
	}
	if got, ok := sums.Lookup("terraform-provider-example_1.2.3_linux_AMD64.zip"); ok {
		t.Errorf("Lookup of another name = %s", got)
	}
}

func TestParseSumsRefuses(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	for _, test := range []struct {
		name, doc string
		line      int
	}{
		{"a short sum", a + "  one\n" + a[1:] + "  two\n", 2},
		{"a long sum", a + "a  one\n", 1},
		{"other digits", a[1:] + "x  one\n", 1},
		{"no name", a + "\n", 1},
		{"only a marker for a name", "\n\n" + a + " *\n", 3},
		{"no sum", "one.zip\n", 1},
		{"a page for people", "<!DOCTYPE html>\n<html></html>\n", 1},
		{"two sums for one name", a + "  one\n" + b + "  two\n\n" + b + " *one\n", 4},
		{"a document without end", strings.Repeat("\n", hashing.MaxSumsBytes+1), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := hashing.ParseSums([]byte(test.doc))
			var wrong *hashing.SumsError
			if !errors.As(err, &wrong) || wrong.Line != test.line || got != nil {
				t.Errorf("ParseSums = %v, %v; want a *SumsError for line %d", got, err, test.line)
			}
		})
	}
}

func FuzzParseSums(f *testing.F) {
	a := strings.Repeat("A", 64)
	for _, seed := range []string{"", "\n", release, a, a + " *x\r\n", a + "  x\n" + a + "  y\n", a[1:] + "  x\n", a + "0  x\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		sums, err := hashing.ParseSums(doc)
		if err != nil {
			return
		}
		for _, sum := range sums {
			if parsed, err := hashing.ParseHash(sum.Hash.String()); err != nil || parsed != sum.Hash {
				t.Errorf("%q is not a hash: %v", sum.Hash, err)
			}
			if found, ok := sums.Lookup(sum.Filename); !ok || found != sum.Hash {
				t.Errorf("%q is listed twice", sum.Filename)
			}
			if !bytes.Contains(doc, []byte(sum.Filename)) || strings.Contains(sum.Filename, "\n") {
				t.Errorf("the name %q is made up", sum.Filename)
			}
		}
	})
}
