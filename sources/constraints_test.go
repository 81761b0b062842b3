package sources_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParseConstraints() {
	c, err := sources.ParseConstraints("< 3, ~>1.2, != 1.3")
	fmt.Println(c, err)
	fmt.Println(c.Allows(sources.MustParseVersion("1.4.0")), c.Allows(sources.MustParseVersion("1.3.0")))
	_, err = sources.ParseConstraints(">= 1.0 < 2.0")
	fmt.Println(err)
	// Output:
	// ~> 1.2, != 1.3.0, < 3.0.0 <nil>
	// true false
	// invalid version constraint ">= 1.0 < 2.0": conditions are separated by commas
}

func ExampleConstraints_And() {
	root := sources.MustParseConstraints(">= 1.0")
	module := sources.MustParseConstraints("~> 1.4, >= 1.0.0")
	fmt.Println(root.And(module))
	// Output: >= 1.0.0, ~> 1.4
}

func ExampleConstraints_Newest() {
	available := []sources.Version{
		sources.MustParseVersion("1.9.0"), sources.MustParseVersion("1.10.0"), sources.MustParseVersion("2.0.0-rc1"),
		sources.MustParseVersion("2.0.0"),
	}
	newest, ok := sources.MustParseConstraints("~> 1.0").Newest(slices.Values(available))
	fmt.Println(newest, ok)
	_, ok = sources.MustParseConstraints("> 2.0.0").Newest(slices.Values(available))
	fmt.Println(ok)
	// Output:
	// 1.10.0 true
	// false
}

// The canonical form is what the existing clients write to dependency lock files.
func TestConstraintsCanonicalForm(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":                          "",
		"1":                         "1.0.0",
		"= 1.2":                     "1.2.0",
		"=1.2.3":                    "1.2.3",
		"1.2.3-beta+build":          "1.2.3-beta+build",
		"~> 1":                      "~> 1.0",
		"~> 1.2":                    "~> 1.2",
		"~> 1.2.0":                  "~> 1.2.0",
		"~> 01.2":                   "~> 1.2",
		"~> 1.2-beta":               "~> 1.2-beta",
		"~> 1.2.3-beta+x":           "~> 1.2.3-beta+x",
		">2,<3,<=3,>=2":             "> 2.0.0, >= 2.0.0, <= 3.0.0, < 3.0.0",
		"!= 1, < 1, <= 1, ~> 1, =1": "1.0.0, ~> 1.0, <= 1.0.0, < 1.0.0, != 1.0.0",
		"~> 1.0, ~> 1.0.0":          "~> 1.0.0, ~> 1.0",
		">= 1, >= 1.0, >= 1.0.0":    ">= 1.0.0",
		">= 2.0, ~> 1.9":            "~> 1.9, >= 2.0.0",
		">= 1.10, >= 1.9":           ">= 1.9.0, >= 1.10.0",
		">= 1.0.0, >= 1.0.0-beta":   ">= 1.0.0-beta, >= 1.0.0",
		"!= 1.0.0+b, != 1.0.0+a":    "!= 1.0.0+a, != 1.0.0+b",
		"\n\t>= 1.0 ,\r\n < 2.0\f":  ">= 1.0.0, < 2.0.0",
	} {
		c, err := sources.ParseConstraints(input)
		if err != nil || c.String() != want {
			t.Errorf("ParseConstraints(%q) = %q, %v, want %q", input, c, err, want)
			continue
		}
		if again, err := sources.ParseConstraints(want); err != nil || again.String() != want {
			t.Errorf("ParseConstraints(%q) = %q, %v, want the same", want, again, err)
		}
	}
}

func TestParseConstraintsRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ input, term, reason string }{
		{" ", "", "a condition is missing"},
		{">= 1.0,", "", "a condition is missing"},
		{",>= 1.0", "", "a condition is missing"},
		{">= 1.0,,< 2", "", "a condition is missing"},
		{">=", ">=", "the version is missing"},
		{">= 1.0, => 2", "=> 2", `the operator "=>" is written ">="`},
		{"=< 2", "=< 2", `the operator "=<" is written "<="`},
		{"== 2", "== 2", "the operators are"},
		{"^2", "^2", "the operators are"},
		{"~2", "~2", "the operators are"},
		{"~= 2", "~= 2", "the operators are"},
		{">=  2", ">=  2", "at most one space"},
		{">=\t2", ">=\t2", "at most one space"},
		{"> = 2", "> = 2", "commas"},
		{">= 1.0 < 2.0", ">= 1.0 < 2.0", "commas"},
		{"1.0 || 2.0", "1.0 || 2.0", "commas"},
		{"1.x", "1.x", "wildcards"},
		{"~> 1.*", "~> 1.*", "wildcards"},
		{">= v1", ">= v1", `no prefix "v"`},
		{"1.2.3.4", "1.2.3.4", "at most three"},
		{"~> 1.2.3.4", "~> 1.2.3.4", "at most three"},
		{"1.0beta1", "1.0beta1", "written like"},
		{"1.0-~beta", "1.0-~beta", "written like"},
		{"1.", "1.", "written like"},
		{"1.0.0+", "1.0.0+", "written like"},
		{"1.0.0-", "1.0.0-", "written like"},
		{"latest", "latest", "written like"},
		{"9223372036854775808", "9223372036854775808", "below 2⁶³"},
		{"> 18446744073709551616", "> 18446744073709551616", "below 2⁶³"},
		{"\u00a01.0", "\u00a01.0", "written like"},
	}
	for _, test := range tests {
		_, err := sources.ParseConstraints(test.input)
		var refused *sources.ConstraintError
		if !errors.As(err, &refused) {
			t.Errorf("ParseConstraints(%q): got error %v, want a *ConstraintError", test.input, err)
			continue
		}
		if refused.Input != test.input || refused.Term != test.term || !strings.Contains(refused.Reason, test.reason) {
			t.Errorf("ParseConstraints(%q): got %+v, want term %q, reason %q", test.input, *refused, test.term, test.reason)
		}
	}
}

func TestConstraintErrorNamesTheConditionOnce(t *testing.T) {
	t.Parallel()
	_, err := sources.ParseConstraints(">= 1.0, => 2")
	if want := `invalid version constraint "=> 2" in ">= 1.0, => 2": the operator "=>" is written ">="`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestAllows(t *testing.T) {
	t.Parallel()
	tests := []struct{ constraints, allowed, refused string }{
		{"", "0.0.1 1.0.0 1.0.0+x", "0.0.0 1.0.0-beta"},
		{"1.2", "1.2.0", "1.2.1 1.2.0+x 1.2.0-beta"},
		{"1.2.0+x", "1.2.0+x", "1.2.0 1.2.0+y"},
		{"!= 1.2.0", "1.2.1 1.2.0+x", "1.2.0 2.0.0-beta"},
		{">= 1.2", "1.2.0 1.2.0+x 2.0.0", "1.1.9 1.2.0-beta 2.0.0-beta"},
		{"> 1.2", "1.2.1", "1.2.0 1.2.0+x"},
		{"<= 1.2.0+x", "1.2.0 1.2.0+y 1.1.0", "1.2.1"},
		{"< 2", "1.9.9", "2.0.0 2.0.0-beta 0.0.0"},
		{"~> 1.2.3", "1.2.3 1.2.99", "1.2.2 1.3.0 1.2.4-beta"},
		{"~> 1.2", "1.2.0 1.99.0", "1.1.0 2.0.0"},
		{"~> 1", "1.0.0 1.99.0", "0.9.0 2.0.0"},
		{"~> 1.2.0-beta1", "1.2.0 1.2.3", "1.2.0-beta1 1.2.0-beta2 1.3.0"},
		{"~> 9223372036854775807", "9223372036854775807.1.0", "1.0.0"},
		{">= 1.0.0-beta1", "1.0.0 2.0.0", "1.0.0-beta1 1.0.0-rc1"},
		{"1.0.0-beta1", "1.0.0-beta1", "1.0.0 1.0.0-beta2 1.0.0-beta1+x"},
		{"1.0.0-beta1, >= 0.9", "1.0.0-beta1", "1.0.0"},
		{"1.0.0-beta1, >= 1.0", "", "1.0.0-beta1 1.0.0"},
		{"1.0.0-beta1, 1.0.0-beta2", "", "1.0.0-beta1 1.0.0-beta2"},
		{"0.0.0", "", "0.0.0"},
	}
	for _, test := range tests {
		c := sources.MustParseConstraints(test.constraints)
		for _, v := range strings.Fields(test.allowed) {
			if !c.Allows(sources.MustParseVersion(v)) {
				t.Errorf("%q does not allow %s", test.constraints, v)
			}
		}
		for _, v := range strings.Fields(test.refused) {
			if c.Allows(sources.MustParseVersion(v)) {
				t.Errorf("%q allows %s", test.constraints, v)
			}
		}
	}
}

func TestAndLeavesItsArgumentsAlone(t *testing.T) {
	t.Parallel()
	a, b := sources.MustParseConstraints("< 5, < 4"), sources.MustParseConstraints(">= 1")
	first, second := a.And(b), a.And(sources.MustParseConstraints(">= 2"), b)
	for got, want := range map[string]string{
		a.String():      "< 4.0.0, < 5.0.0",
		b.String():      ">= 1.0.0",
		first.String():  ">= 1.0.0, < 4.0.0, < 5.0.0",
		second.String(): ">= 1.0.0, >= 2.0.0, < 4.0.0, < 5.0.0",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (sources.Constraints{}).And().String(); got != "" {
		t.Errorf("zero and nothing: got %q, want none", got)
	}
}

func TestNewest(t *testing.T) {
	t.Parallel()
	tests := []struct{ constraints, versions, want string }{
		{"", "1.0.0 1.10.0 1.9.0", "1.10.0"},
		{"", "1.0.0 2.0.0-rc1", "1.0.0"},
		{"2.0.0-rc1", "1.0.0 2.0.0-rc1", "2.0.0-rc1"},
		{"0.0.0-beta", "0.0.0-beta 0.0.0", "0.0.0-beta"},
		{"", "1.0.0+b 1.0.0+c 1.0.0+a", "1.0.0+c"},
		{"", "0.0.0", ""},
		{"", "", ""},
	}
	for _, test := range tests {
		var versions []sources.Version
		for _, s := range strings.Fields(test.versions) {
			versions = append(versions, sources.MustParseVersion(s))
		}
		newest, ok := sources.MustParseConstraints(test.constraints).Newest(slices.Values(versions))
		if ok != (test.want != "") || ok && newest.String() != test.want {
			t.Errorf("newest of %q in %q: got %s, %t, want %q", test.constraints, test.versions, newest, ok, test.want)
		}
	}
}

func TestOnlyUnspecified(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		"0": true, "= 0.0.0": true, ">= 0, 0.0": true,
		"": false, ">= 0": false, "0.0.0-beta": false, "!= 0.0.0": false, "1.0": false,
	} {
		if got := sources.MustParseConstraints(input).OnlyUnspecified(); got != want {
			t.Errorf("%q: OnlyUnspecified is %t, want %t", input, got, want)
		}
	}
}
