package lockfile

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// version reads the argument "version"; nil is one that is missing, which the schema has reported.
func (p *parser) version(attr *hcl.Attribute) (v sources.Version) {
	if attr == nil {
		return v
	}
	text, ok := p.Text(attr.Expr, "version")
	if !ok {
		return v
	}
	v, err := sources.ParseVersion(text)
	switch {
	case err != nil:
		p.Fail(attr.Expr.Range(), "Invalid provider version number", "The locked version cannot be read: %s.", err)
	case v.String() != text:
		p.Fail(attr.Expr.Range(), "Invalid provider version number", "The version must be in canonical form, %q.", v)
	}
	return v
}

// constraints reads the argument "constraints", which may be missing.
func (p *parser) constraints(attr *hcl.Attribute) (c sources.Constraints) {
	if attr == nil {
		return c
	}
	text, ok := p.Text(attr.Expr, "constraints")
	if !ok {
		return c
	}
	c, err := sources.ParseConstraints(text)
	switch {
	case err != nil:
		p.Fail(attr.Expr.Range(), "Invalid provider version constraints", "The constraints cannot be read: %s.", err)
	case !slices.Equal(conditions(text), conditions(c.String())):
		p.Fail(attr.Expr.Range(), "Invalid provider version constraints", "The constraints must be in canonical form, %q.", c)
	}
	return c
}

// conditions returns what a canonical string consists of, without its order.
func conditions(constraints string) []string {
	return slices.Sorted(slices.Values(strings.Split(constraints, ", ")))
}

// hashes reads the argument "hashes", which may be missing.
func (p *parser) hashes(attr *hcl.Attribute) []hashing.Hash {
	if attr == nil {
		return nil
	}
	list, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() || len(list) == 0 {
		p.Fail(attr.Expr.Range(), "Invalid provider hash set", "The hashes must be a list of at least one string.")
		return nil
	}
	var hashes []hashing.Hash
	for _, expr := range list {
		if text, ok := p.Text(expr, "hash"); ok {
			hashes = append(hashes, p.hash(text, expr.Range()))
		}
	}
	return unique(hashes)
}

// hash reads one hash, of whatever scheme and value.
func (p *parser) hash(text string, at hcl.Range) hashing.Hash {
	if strings.Index(text, ":") < 1 {
		p.Fail(at, "Invalid provider hash string", "The hash %q has no scheme: it must begin like \"h1:\" or \"zh:\".", text)
	}
	return hashing.Hash(text)
}

// unique returns the hashes sorted bytewise, each once.
func unique(hashes []hashing.Hash) []hashing.Hash {
	return slices.Compact(slices.Sorted(slices.Values(hashes)))
}
