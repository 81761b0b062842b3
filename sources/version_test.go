package sources_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	clients "github.com/apparentlymart/go-versions/versions"

	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParseVersion() {
	v, err := sources.ParseVersion("1.2-beta.1+build")
	fmt.Println(v, v.Prerelease(), v.Metadata(), err)
	_, err = sources.ParseVersion("v1.2.0")
	fmt.Println(err)
	// Output:
	// 1.2.0-beta.1+build beta.1 build <nil>
	// invalid version "v1.2.0": a version has no prefix "v"
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"1":                       "1.0.0",
		"1.2":                     "1.2.0",
		"1.2.3":                   "1.2.3",
		"01.002.3":                "1.2.3",
		"0.0.0":                   "0.0.0",
		"1.2.3-beta":              "1.2.3-beta",
		"1-beta":                  "1.0.0-beta",
		"1.2.3-beta.1+build.5":    "1.2.3-beta.1+build.5",
		"1.2.3-a-b":               "1.2.3-a-b",
		"1.2.3--":                 "1.2.3--",
		"1.2.3-01":                "1.2.3-01",
		"1.2.3+-":                 "1.2.3+-",
		"1.2.3-":                  "1.2.3",
		"1.2.3+":                  "1.2.3",
		"1.2.3-a+":                "1.2.3-a",
		"9223372036854775807.0.0": "9223372036854775807.0.0",
	} {
		got, err := sources.ParseVersion(input)
		if err != nil || got.String() != want {
			t.Errorf("ParseVersion(%q) = %q, %v, want %q", input, got, err, want)
		}
		if judged := clients.MustParseVersion(input).String(); judged != want {
			t.Errorf("the existing clients read %q as %q, not %q", input, judged, want)
		}
	}
}

func TestParseVersionRefuses(t *testing.T) {
	t.Parallel()
	for input, reason := range map[string]string{
		"":                          "written like",
		"v1.2.3":                    "prefix",
		"1.2.3.4":                   "at most three",
		"1.2.3beta1":                "written like",
		"1.2.3-~beta":               "written like",
		"1.2.3-beta..1":             "written like",
		"1.2.3-.beta":               "written like",
		"1.2.3-+":                   "written like",
		"1.2.3-+build":              "written like",
		"1.2.3+a+b":                 "written like",
		"1.":                        "written like",
		"1..2":                      "written like",
		"1.x":                       "written like",
		"*":                         "written like",
		" 1.2.3":                    "written like",
		"1.2.3\n":                   "written like",
		">= 1.2.3":                  "written like",
		"../1.2.3":                  "written like",
		"1.2.3-ä":                   "written like",
		"-1.0.0":                    "written like",
		"9223372036854775808.0.0":   "below 2⁶³",
		"1.18446744073709551616.0":  "below 2⁶³", // makes the parser of the existing clients panic
		strings.Repeat("9", 10_000): "below 2⁶³",
	} {
		v, err := sources.ParseVersion(input)
		var refused *sources.VersionError
		if !errors.As(err, &refused) || refused.Input != input || !strings.Contains(refused.Reason, reason) || !v.IsZero() {
			t.Errorf("ParseVersion(%.30q) = %q, %v, want %q", input, v, err, reason)
		}
	}
}

func TestVersionsCompareWithMetadata(t *testing.T) {
	t.Parallel()
	if sources.MustParseVersion("1.2") != sources.MustParseVersion("01.2.0") {
		t.Error("two spellings of a version are not equal")
	}
	if sources.MustParseVersion("1.2.0") == sources.MustParseVersion("1.2.0+x") {
		t.Error("versions with and without metadata are equal")
	}
}

func TestZeroVersionIsUnspecified(t *testing.T) {
	t.Parallel()
	var zero sources.Version
	if !zero.IsZero() || zero.String() != "0.0.0" || zero != sources.MustParseVersion("0.0.0") {
		t.Errorf("the zero value is %q", zero)
	}
	for _, s := range []string{"0.0.1", "0.0.0-a", "0.0.0+a"} {
		if sources.MustParseVersion(s).IsZero() {
			t.Errorf("%s is zero", s)
		}
	}
}

// ascending is the order of https://semver.org/#spec-item-11; where it makes no difference (metadata, 01 and 1), the
// bytes decide.
var ascending = []string{
	"0.0.0-a", "0.0.0", "0.0.0+a", "0.0.1", "0.9.0", "0.10.0",
	"1.0.0-0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-99999999999999999999", "1.0.0-100000000000000000000", "1.0.0--",
	"1.0.0-0a", "1.0.0-Beta", "1.0.0-alpha", "1.0.0-alpha.01", "1.0.0-alpha.1", "1.0.0-alpha.1.0", "1.0.0-alpha.beta",
	"1.0.0-beta", "1.0.0-beta+a", "1.0.0-beta+b", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-beta1", "1.0.0-beta2",
	"1.0.0-rc.1", "1.0.0-rc1", "1.0.0", "1.0.0+a", "1.0.0+b", "1.0.1-a", "1.0.1", "1.1.0", "1.2.3", "1.10.0",
	"2.0.0-a", "2.0.0", "9223372036854775807.0.0",
}

func TestVersionOrder(t *testing.T) {
	t.Parallel()
	var versions []sources.Version
	for _, s := range slices.Backward(ascending) {
		versions = append(versions, sources.MustParseVersion(s))
	}
	slices.SortFunc(versions, sources.Version.Compare)
	for i, v := range versions {
		if v.String() != ascending[i] {
			t.Errorf("sorted: at %d %s, want %s", i, v, ascending[i])
		}
	}
}

func TestVersionOrderIsTotal(t *testing.T) {
	t.Parallel()
	var versions []sources.Version
	for _, s := range ascending {
		versions = append(versions, sources.MustParseVersion(s))
	}
	for _, a := range versions {
		for _, b := range versions {
			if ab := a.Compare(b); ab != -b.Compare(a) || (ab == 0) != (a == b) {
				t.Errorf("%s and %s: %d one way, %d the other", a, b, ab, b.Compare(a))
			}
			for _, c := range versions {
				if a.Compare(b) < 0 && b.Compare(c) < 0 && a.Compare(c) >= 0 {
					t.Errorf("%s < %s < %s, but not %s < %s", a, b, c, a, c)
				}
			}
		}
	}
}

func TestVersionAsText(t *testing.T) {
	t.Parallel()
	in := map[string]sources.Version{"a": sources.MustParseVersion("1.2-beta+x"), "b": {}}
	text, err := json.Marshal(in)
	if want := `{"a":"1.2.0-beta+x","b":"0.0.0"}`; err != nil || string(text) != want {
		t.Fatalf("marshalled: %s, %v, want %s", text, err, want)
	}
	var out map[string]sources.Version
	if err := json.Unmarshal(text, &out); err != nil || out["a"] != in["a"] || out["b"] != in["b"] {
		t.Errorf("unmarshalled: %v, %v, want %v", out, err, in)
	}
	var refused *sources.VersionError
	if err := json.Unmarshal([]byte(`{"a":"v1"}`), &out); !errors.As(err, &refused) {
		t.Errorf("got error %v, want a *VersionError", err)
	}
}

// What is a version here is the same version to the existing clients.
func FuzzParseVersion(f *testing.F) {
	for _, seed := range append(ascending, "v1", "1.2.3.4", "1.2.3-", "1.2.3+", "1-+", "1~a", "1beta", "18446744073709551616") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := sources.ParseVersion(s)
		if err != nil {
			var refused *sources.VersionError
			if !errors.As(err, &refused) {
				t.Errorf("ParseVersion(%q): got error %T, want a *VersionError", s, err)
			}
			return
		}
		if again, err := sources.ParseVersion(v.String()); err != nil || again != v {
			t.Errorf("ParseVersion(%q) = %q, of which again %q, %v", s, v, again, err)
		}
		if judged, err := clients.ParseVersion(s); err != nil || judged.String() != v.String() {
			t.Errorf("ParseVersion(%q) = %q, but the existing clients read %q, %v", s, v, judged, err)
		}
	})
}
