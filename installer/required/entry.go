package required

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/purveyor-dev/purveyor/sources"
)

// entry is one of required_providers.
type entry struct {
	provider    sources.Provider
	constraints sources.Constraints
	at          hcl.Range
}

// requiredProviders reads a block of that type. Entries with errors are left out.
func (l *loader) requiredProviders(block *hcl.Block) map[string]entry {
	attrs, diags := block.Body.JustAttributes()
	l.add(diags)
	entries := map[string]entry{}
	for name, attr := range attrs {
		if e, ok := l.entry(name, attr); ok {
			entries[name] = e
		}
	}
	return entries
}

// entry reads a string with constraints, or an object.
func (l *loader) entry(name string, attr *hcl.Attribute) (entry, bool) {
	if value, ok := literal(attr.Expr); ok && value.Type().IsPrimitiveType() {
		constraints, valid := l.constraints(attr.Expr)
		if normal, ok := normalName(name); ok {
			name = normal // only in this, the older form, the clients do not mind
		}
		provider, known := l.impliedProvider(name, attr.NameRange)
		return entry{provider, constraints, attr.Expr.Range()}, valid && known
	}
	if !l.checkLocalName(name, attr.NameRange) {
		return entry{}, false
	}
	pairs, diags := hcl.ExprMap(attr.Expr)
	if diags.HasErrors() {
		l.fail(attr.Expr.Range(), "Invalid required_providers entry", "The entry must be an object or a string, written out without references.")
		return entry{}, false
	}
	return l.object(name, attr, pairs)
}

// object reads the object form.
func (l *loader) object(name string, attr *hcl.Attribute, pairs []hcl.KeyValuePair) (e entry, ok bool) {
	e.at, ok = attr.Expr.Range(), true
	for _, pair := range pairs {
		ok = l.field(&e, pair) && ok
	}
	if ok && e.provider.IsZero() {
		e.provider, ok = l.impliedProvider(name, attr.NameRange)
	}
	return e, ok
}

func (l *loader) field(e *entry, pair hcl.KeyValuePair) (ok bool) {
	key, _ := literalString(pair.Key)
	switch key {
	case "source":
		e.provider, ok = l.source(pair.Value)
	case "version":
		if _, ok = literalString(pair.Value); !ok {
			l.fail(pair.Value.Range(), "Invalid version constraint", "The version must be a literal string.")
			return false
		}
		e.constraints, ok = l.constraints(pair.Value)
	case "configuration_aliases":
		ok = true
	default:
		l.fail(pair.Key.Range(), "Invalid required_providers entry", `An entry has only "source", "version" and "configuration_aliases". Settings of a provider belong in a "provider" block.`)
	}
	return ok
}

// source reads a source address.
func (l *loader) source(expr hcl.Expression) (sources.Provider, bool) {
	text, ok := literalString(expr)
	if !ok {
		l.fail(expr.Range(), "Invalid provider source", "The source must be a literal string.")
		return sources.Provider{}, false
	}
	provider, err := sources.ParseProviderIn(l.opts.Registry, text)
	if err != nil {
		l.fail(expr.Range(), "Invalid provider source", "The source cannot be read: %s.", err)
	}
	return provider, err == nil
}

// constraints reads version constraints. As with the clients, null is none, and a number is a string.
func (l *loader) constraints(expr hcl.Expression) (c sources.Constraints, ok bool) {
	value, ok := literal(expr)
	if ok && value.IsNull() {
		return c, true
	}
	text, ok := asString(value, ok)
	switch {
	case !ok:
		l.fail(expr.Range(), "Invalid version constraint", "The version must be a literal string.")
		return c, false
	case strings.TrimSpace(text) == "":
		l.fail(expr.Range(), "Invalid version constraint", "The version is empty; leave it out to allow every version.")
		return c, false
	}
	c, err := sources.ParseConstraints(text)
	if err != nil {
		l.fail(expr.Range(), "Invalid version constraint", "The version cannot be read: %s.", err)
	}
	return c, err == nil
}

// asString converts a literal, if it is one.
func asString(value cty.Value, isLiteral bool) (string, bool) {
	if !isLiteral {
		return "", false
	}
	text, err := convert.Convert(value, cty.String)
	if err != nil || text.IsNull() {
		return "", false
	}
	return text.AsString(), true
}
