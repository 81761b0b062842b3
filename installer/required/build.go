package required

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
)

// build says which providers the merged files need.
func (b *moduleBuilder) build() *module {
	m := &module{calls: b.calls}
	for name, e := range b.entries {
		m.add(e.provider, Origin{LocalName: name, Constraints: e.constraints, Range: e.at})
	}
	implied := map[string]bool{}
	for _, u := range b.users {
		if name, at, ok := b.localName(u); ok {
			b.imply(m, implied, name, at, u.at)
		}
	}
	for _, p := range b.providers {
		b.imply(m, implied, p.name, p.nameAt, p.at)
		b.providerVersion(m, p)
	}
	return m
}

func (m *module) add(p sources.Provider, o Origin) { m.origins = append(m.origins, located{p, o}) }

// localName returns the local name of the provider that a block uses, and where that is written.
func (b *moduleBuilder) localName(u user) (string, hcl.Range, bool) {
	if u.provider != nil {
		at := u.provider.Expr.Range()
		name, ok := rootName(u.provider.Expr)
		if !ok {
			b.fail(at, "Invalid provider reference", `A provider is referred to by its name, or by name and alias: "aws" or "aws.west".`)
		}
		return name, at, ok
	}
	name, ok := normalName(impliedName(u.typ))
	if !ok {
		b.fail(u.typeAt, "Invalid resource type", "The type %q does not begin with the name of a provider.", u.typ)
	}
	return name, u.typeAt, ok
}

// imply adds the provider of a local name that has no entry, once.
func (b *moduleBuilder) imply(m *module, implied map[string]bool, name string, at, block hcl.Range) {
	if _, ok := b.entries[name]; ok || implied[name] {
		return
	}
	implied[name] = true
	if provider, ok := b.impliedProvider(name, at); ok {
		m.add(provider, Origin{LocalName: name, Implied: true, Range: block})
	}
}

// providerVersion adds the constraints of a provider block.
func (b *moduleBuilder) providerVersion(m *module, p providerBlock) {
	if p.version == nil {
		return
	}
	b.warn(p.version.Range, "Deprecated version in a provider block",
		"Put the version into the required_providers of the module.")
	constraints, ok := b.constraints(p.version.Expr)
	if !ok {
		return
	}
	provider, ok := b.entries[p.name].provider, true
	if provider.IsZero() {
		provider, ok = b.impliedProvider(p.name, p.nameAt)
	}
	if ok {
		m.add(provider, Origin{LocalName: p.name, Constraints: constraints, Range: p.version.Range})
	}
}
