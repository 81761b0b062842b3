package sources

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// term is one condition: an operator and a version.
type term struct {
	op       operator
	boundary Version
}

// operator is what a term demands of a version. The order is that of terms with the same version in lock files.
type operator int

const (
	newerThan operator = iota
	atLeast
	exactly
	sameMinor // ~> with three numbers: at least, and the first two are equal
	sameMajor // ~> with one or two numbers: at least, and the first is equal
	atMost
	olderThan
	otherThan
)

// holds reports whether the version meets the condition, taken alone: prereleases get no special treatment here.
func (t term) holds(v Version) bool {
	order := v.comparePrecedence(t.boundary)
	switch t.op {
	case newerThan:
		return order > 0
	case atLeast:
		return order >= 0
	case exactly:
		return v == t.boundary
	case sameMinor:
		return order >= 0 && v.major == t.boundary.major && v.minor == t.boundary.minor
	case sameMajor:
		return order >= 0 && v.major == t.boundary.major
	case atMost:
		return order <= 0
	case olderThan:
		return order < 0
	default:
		return v != t.boundary
	}
}

func (t term) compare(o term) int {
	return cmp.Or(
		t.boundary.comparePrecedence(o.boundary),
		cmp.Compare(t.op, o.op),
		t.boundary.Compare(o.boundary),
	)
}

// String returns the canonical form: "1.2.3", ">= 1.2.0", "~> 1.2".
func (t term) String() string {
	switch t.op {
	case exactly:
		return t.boundary.String()
	case sameMajor:
		return fmt.Sprintf("~> %d.%d%s", t.boundary.major, t.boundary.minor, t.boundary.suffix())
	}
	i := slices.IndexFunc(symbols, func(s symbol) bool { return s.op == t.op })
	return symbols[i].text + " " + t.boundary.String()
}

// symbol is an operator as it is written.
type symbol struct {
	text string
	op   operator
}

// symbols are tried in this order: none is the beginning of a later one.
var symbols = []symbol{
	{">=", atLeast}, {"<=", atMost}, {"!=", otherThan}, {"~>", sameMinor},
	{">", newerThan}, {"<", olderThan}, {"=", exactly},
}

// parseTerm reads a condition without surrounding spaces. The error is a reason for a [*ConstraintError].
func parseTerm(s string) (term, error) {
	op, version := cutOperator(s)
	v, err := parseVersion(version)
	if err != nil {
		return term{}, explainTerm(s, version, err)
	}
	if op == sameMinor && !hasPatch(version) {
		op = sameMajor
	}
	return term{op, v}, nil
}

// cutOperator separates the operator, and the space that may follow it, from the version.
func cutOperator(s string) (op operator, version string) {
	for _, symbol := range symbols {
		if version, ok := strings.CutPrefix(s, symbol.text); ok {
			return symbol.op, strings.TrimPrefix(version, " ")
		}
	}
	return exactly, s
}

// hasPatch reports whether the version is written with three numbers.
func hasPatch(version string) bool {
	core, _, _ := strings.Cut(version, "+")
	core, _, _ = strings.Cut(core, "-")
	return strings.Count(core, ".") == 2
}

// explainTerm finds the reason why a condition is invalid; notVersion is what is wrong with its version.
func explainTerm(s, version string, notVersion error) error {
	switch {
	case s == "":
		return errors.New("a condition is missing before or after a comma")
	case strings.TrimSpace(version) == "":
		return errors.New("the version is missing")
	case strings.HasPrefix(s, "=>"), strings.HasPrefix(s, "=<"):
		return fmt.Errorf("the operator %q is written %q", s[:2], s[1:2]+"=")
	case strings.ContainsAny(s[:1], "^~|!") && version == s, strings.HasPrefix(s, "=="):
		return errors.New("the operators are =, !=, >, >=, <, <= and ~>")
	case strings.HasPrefix(version, " ") || strings.HasPrefix(version, "\t"):
		return errors.New("at most one space may follow the operator")
	case strings.ContainsAny(version, " <>=!"):
		return errors.New("conditions are separated by commas")
	case strings.ContainsAny(version, "*xX") && !strings.ContainsAny(version, "-+"):
		return errors.New("there are no wildcards; ~> 1.2 allows all of 1.x from 1.2 on")
	}
	return notVersion
}
