package sources

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Constraints say which versions of a provider are acceptable: conditions that must all hold. The zero value allows
// every release. Several modules' constraints combine with [Constraints.And].
//
// The text form is a comma-separated list of operators and versions:
//
//	= 1.2.3 or 1.2.3   exactly this version, metadata included
//	!= 1.2.3           any other version, metadata included
//	> >= < <=          newer or older by precedence
//	~> 1.2.3           1.2.3 or newer, below 1.3
//	~> 1.2, ~> 1       1.2.0 (1.0.0) or newer, below 2
//
// A prerelease is allowed only if a condition names exactly it with "=", and the others hold; no range contains one.
// The unspecified version 0.0.0 is never allowed.
//
// The language is what both constraint parsers of the existing clients understand and understand alike, with the
// meaning that providers have there (that of github.com/apparentlymart/go-versions, not of go-version), except that
// prereleases are ordered by https://semver.org/#spec-item-11. Where that differs from go-version:
//
//   - 0.0.0 is never allowed; go-version allows it to "= 0.0.0".
//   - ">= 1.0.0-beta1" and "!= 1.1.0" do not allow prereleases.
//   - "~> 1.2.0-beta1" allows 1.2.3.
//   - "~> 1" does not allow 2.0.0.
//   - "1.2.3" does not allow 1.2.3+x, and "!= 1.2.3" does.
//   - "= 1.2.0-beta1, >= 1.0.0" allows 1.2.0-beta1.
type Constraints struct {
	terms []term // sorted, without duplicates, never changed
}

// ConstraintError says why a text is not [Constraints].
type ConstraintError struct {
	Input  string
	Term   string // the condition at fault; all of Input if there is only one
	Reason string // `the operator "=>" is written ">="`
}

func (e *ConstraintError) Error() string {
	if strings.TrimSpace(e.Input) == e.Term {
		return fmt.Sprintf("invalid version constraint %q: %s", e.Input, e.Reason)
	}
	return fmt.Sprintf("invalid version constraint %q in %q: %s", e.Term, e.Input, e.Reason)
}

// ParseConstraints reads a list of conditions. The empty string is the zero value. Spaces and line breaks may
// surround each condition; at most one space may follow its operator. The error is a [*ConstraintError].
func ParseConstraints(s string) (Constraints, error) {
	if s == "" {
		return Constraints{}, nil
	}
	var terms []term
	for text := range strings.SplitSeq(s, ",") {
		text = strings.Trim(text, "\t\n\f\r ")
		t, err := parseTerm(text)
		if err != nil {
			return Constraints{}, &ConstraintError{Input: s, Term: text, Reason: err.Error()}
		}
		terms = append(terms, t)
	}
	return newConstraints(terms), nil
}

// MustParseConstraints is [ParseConstraints] for constants of a program: it panics where that returns an error.
func MustParseConstraints(s string) Constraints { return must(ParseConstraints(s)) }

// newConstraints takes the terms over and puts them into canonical order.
func newConstraints(terms []term) Constraints {
	slices.SortFunc(terms, term.compare)
	return Constraints{slices.Compact(terms)}
}

// And returns the constraints that allow what c and all the others allow. Two exact prereleases exclude each other,
// like any two exact versions.
func (c Constraints) And(others ...Constraints) Constraints {
	terms := slices.Clone(c.terms)
	for _, other := range others {
		terms = append(terms, other.terms...)
	}
	return newConstraints(terms)
}

// Allows reports whether the version is acceptable.
func (c Constraints) Allows(v Version) bool {
	if v.IsZero() || v.prerelease != "" && !c.names(v) {
		return false
	}
	return !slices.ContainsFunc(c.terms, func(t term) bool { return !t.holds(v) })
}

// names reports whether a condition names exactly this version.
func (c Constraints) names(v Version) bool { return slices.Contains(c.terms, term{exactly, v}) }

// OnlyUnspecified reports whether a condition asks for exactly 0.0.0, which no installation can provide: people
// write it for a provider that they override with a development build. Nothing is allowed then.
func (c Constraints) OnlyUnspecified() bool { return c.names(Version{}) }

// Newest returns the newest of the versions that is allowed, by [Version.Compare]; ok is false when none
// is. A slice is passed through [slices.Values].
func (c Constraints) Newest(versions iter.Seq[Version]) (newest Version, ok bool) {
	found := false
	for v := range versions {
		if c.Allows(v) && (!found || v.Compare(newest) > 0) {
			newest, found = v, true
		}
	}
	return newest, found
}

// String returns the canonical form, which dependency lock files record: complete versions (but "~> 1.2"), ordered by
// version and then by operator, without duplicates, separated by comma and space; "" for the zero value.
func (c Constraints) String() string {
	texts := make([]string, len(c.terms))
	for i, t := range c.terms {
		texts[i] = t.String()
	}
	return strings.Join(texts, ", ")
}

// MarshalText returns String.
func (c Constraints) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText is [ParseConstraints].
func (c *Constraints) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConstraints(string(text))
	return err
}
