package sources_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	clients "github.com/apparentlymart/go-versions/versions"
	goversion "github.com/hashicorp/go-version"

	"github.com/purveyor-dev/purveyor/sources"
)

// The tests in this file judge constraints by the two libraries that read them in the existing clients.

var (
	judgedOperators = []string{"", "= ", "!= ", "> ", ">= ", "< ", "<= ", "~> "}

	judgedBoundaries = []string{
		"0", "0.0.0", "1", "1.0", "1.0.0", "1.2", "1.2.3", "01.2", "2", "1.0.0-0", "1.0.0-beta.2", "1.0.0-rc1", "1.2.0-beta1",
		"1.2.3-beta1", "1-beta1", "1.2-beta1", "1.2.3+x", "1.2.3-beta1+x", "0.0.0+x", "9223372036854775807",
	}

	pairedBoundaries = []string{"0.0.0", "1", "1.2", "1.2.3", "1.2.3+x", "1.0.0-beta.2", "1.0.0-rc1"}

	judgedVersions = []string{
		"0.0.0", "0.0.0+x", "0.0.0-beta1", "0.0.1", "0.9.0", "1.0.0-0", "1.0.0-beta.2", "1.0.0-beta1", "1.0.0-rc1", "1.0.0",
		"1.0.0+x", "1.0.1", "1.1.9", "1.2.0-beta1", "1.2.0-beta2", "1.2.0", "1.2.1", "1.2.2", "1.2.3-beta1", "1.2.3-beta1+x",
		"1.2.3-beta1+y", "1.2.3-rc1", "1.2.3", "1.2.3+x", "1.2.3+y", "1.2.4-beta1", "1.2.4", "1.3.0", "1.99.99",
		"2.0.0-beta1", "2.0.0", "2.0.1", "3.0.0", "9223372036854775807.0.0", "9223372036854775807.1.0",
	}
)

func singles(boundaries []string) []string {
	var all []string
	for _, op := range judgedOperators {
		for _, boundary := range boundaries {
			all = append(all, op+boundary)
		}
	}
	return all
}

func pairs() []string {
	var all []string
	for _, a := range singles(pairedBoundaries) {
		for _, b := range singles(pairedBoundaries) {
			all = append(all, a+", "+b)
		}
	}
	return all
}

// permitted are the only differences: the clients take beta.2 for newer than rc1, because it has more parts.
var permitted = []string{
	"1.0.0-beta.2, < 1.0.0-rc1 allows 1.0.0-beta.2",
	"1.0.0-beta.2, <= 1.0.0-rc1 allows 1.0.0-beta.2",
	"1.0.0-beta.2, > 1.0.0-rc1 refuses 1.0.0-beta.2",
	"1.0.0-beta.2, >= 1.0.0-rc1 refuses 1.0.0-beta.2",
	"1.0.0-beta.2, ~> 1.0.0-rc1 refuses 1.0.0-beta.2",
	"< 1.0.0-beta.2, 1.0.0-rc1 refuses 1.0.0-rc1",
	"<= 1.0.0-beta.2, 1.0.0-rc1 refuses 1.0.0-rc1",
	"> 1.0.0-beta.2, 1.0.0-rc1 allows 1.0.0-rc1",
	">= 1.0.0-beta.2, 1.0.0-rc1 allows 1.0.0-rc1",
	"~> 1.0.0-beta.2, 1.0.0-rc1 allows 1.0.0-rc1",
}

func TestConstraintsMeanWhatTheyMeanToTheClients(t *testing.T) {
	t.Parallel()
	constraints := append([]string{""}, slices.Concat(singles(judgedBoundaries), pairs())...)
	differences := map[string]bool{}
	checks := 0
	for _, text := range constraints {
		c := sources.MustParseConstraints(text)
		judge := clients.MustMakeSet(clients.MeetingConstraintsStringRuby(text))
		canonical := clients.MustMakeSet(clients.MeetingConstraintsStringRuby(c.String()))
		for _, version := range judgedVersions {
			checks++
			got, judged := c.Allows(sources.MustParseVersion(version)), clients.MustParseVersion(version)
			if want := judge.Has(judged); got != want {
				differences[fmt.Sprintf("%s %s %s", c, allowsOrRefuses(got), version)] = true
			}
			if canonical.Has(judged) != judge.Has(judged) {
				t.Errorf("to the clients, the canonical %q means another thing than %q for %s", c, text, version)
			}
		}
	}
	if checks < 100_000 {
		t.Errorf("only %d checks", checks)
	}
	if got := slices.Sorted(maps.Keys(differences)); !slices.Equal(got, slices.Sorted(slices.Values(permitted))) {
		t.Errorf("differences: %q, want %q", got, permitted)
	}
}

func allowsOrRefuses(allows bool) string {
	if allows {
		return "allows"
	}
	return "refuses"
}

// emptyIdentifier is what both libraries read, each in its own way, though https://semver.org/#spec-item-9 forbids it:
// in "1.0-" the one finds no prerelease, the other the prerelease "-".
var emptyIdentifier = regexp.MustCompile(`[0-9]-(\.|\s*(,|$))`)

func readByBothClients(text string) (ok bool) {
	defer func() {
		if recover() != nil { // a number of 2⁶⁴ or more
			ok = false
		}
	}()
	_, err := clients.MeetingConstraintsStringRuby(text)
	_, otherErr := goversion.NewConstraint(text)
	return err == nil && otherErr == nil
}

// Constraints are what both libraries read; the only other one is the empty string, which go-version does not read.
func FuzzParseConstraints(f *testing.F) {
	for _, text := range slices.Concat(singles(judgedBoundaries), []string{
		"", " ", "1.0,", ",1.0", "1.0 , < 2", ">=  1", ">=\t1", "v1", ">=v1", "1.2.3.4", "1beta", "1-", "1+", "1-.a", "~1", "=>1",
		"1.", "18446744073709551615", "18446744073709551616", "1.x", "\u00a01", "\v1", "1-a..b", "1 - 2", "1 || 2", "1-~",
	}) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := sources.ParseConstraints(text)
		both := readByBothClients(text)
		if err != nil {
			var refused *sources.ConstraintError
			if !errors.As(err, &refused) {
				t.Errorf("ParseConstraints(%q): got error %T, want a *ConstraintError", text, err)
			}
			if both && !emptyIdentifier.MatchString(text) {
				t.Errorf("ParseConstraints(%q): %v, but both clients read it", text, err)
			}
			return
		}
		if !both && text != "" {
			t.Errorf("ParseConstraints(%q) = %q, but not both clients read it", text, c)
		}
		if again, err := sources.ParseConstraints(c.String()); err != nil || again.String() != c.String() {
			t.Errorf("ParseConstraints(%q) = %q, of which again %q, %v", text, c, again, err)
		}
		judge := clients.MustMakeSet(clients.MeetingConstraintsStringRuby(text))
		for _, version := range judgedVersions {
			// Releases only: the order of prereleases differs.
			if v := sources.MustParseVersion(version); v.Prerelease() == "" &&
				c.Allows(v) != judge.Has(clients.MustParseVersion(version)) {
				t.Errorf("%q %s %s, other than the clients", text, allowsOrRefuses(c.Allows(v)), version)
			}
		}
	})
}
