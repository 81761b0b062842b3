package required

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
)

// module is one directory, overrides applied.
type module struct {
	origins []located
	calls   []call
}

// located is an origin, but for the path of the module, with its provider.
type located struct {
	provider sources.Provider
	origin   Origin
}

// module reads a directory, once. Nil: there was an error, which is reported.
func (l *loader) module(dir string) (*module, error) {
	if m, ok := l.modules[dir]; ok {
		return m, nil
	}
	primary, overrides, err := l.configFiles(dir)
	if err != nil {
		return nil, err
	}
	b := moduleBuilder{loader: l, entries: map[string]entry{}}
	for _, d := range l.declareAll(primary) {
		b.declare(d)
	}
	for _, d := range l.declareAll(overrides) {
		b.override(d)
	}
	l.modules[dir] = b.build()
	return l.modules[dir], nil
}

func (l *loader) declareAll(paths []string) (all []*declarations) {
	for _, path := range paths {
		if file := l.parse(path); file != nil {
			all = append(all, l.declarationsOf(file))
		}
	}
	return all
}

// moduleBuilder merges the files of a module.
type moduleBuilder struct {
	*loader
	first   *hcl.Block // required_providers
	entries map[string]entry
	declarations
}

// declare adds an ordinary file.
func (b *moduleBuilder) declare(d *declarations) {
	for _, block := range d.requirements {
		if b.first != nil {
			b.fail(block.DefRange, "Second required_providers block",
				"A module has one block required_providers; there is already one at %s.", b.first.DefRange)
			continue
		}
		b.first = block
		maps.Copy(b.entries, b.requiredProviders(block))
	}
	b.providers = append(b.providers, d.providers...)
	b.users = append(b.users, d.users...)
	for _, c := range d.calls {
		if i := b.findCall(c.name); i >= 0 {
			b.fail(c.at, "Duplicate module call", "There is already a module %q at %s.", c.name, b.calls[i].at)
			continue
		}
		b.calls = append(b.calls, c)
	}
}

func (b *moduleBuilder) findCall(name string) int {
	return slices.IndexFunc(b.calls, func(c call) bool { return c.name == name })
}

// override merges an override file: what it sets replaces what was set.
func (b *moduleBuilder) override(d *declarations) {
	for _, block := range d.requirements {
		maps.Copy(b.entries, b.requiredProviders(block))
	}
	for _, p := range d.providers {
		b.overrideProvider(p)
	}
	for _, u := range d.users {
		b.overrideUser(u)
	}
	for _, c := range d.calls {
		b.overrideCall(c)
	}
}

// overrideProvider needs no block to override: one that is absent is as good as empty.
func (b *moduleBuilder) overrideProvider(p providerBlock) {
	i := slices.IndexFunc(b.providers, func(o providerBlock) bool { return o.name == p.name && o.alias == p.alias })
	switch {
	case i < 0:
		b.providers = append(b.providers, p)
	case p.version != nil:
		b.providers[i].version = p.version
	}
}

func (b *moduleBuilder) overrideUser(u user) {
	i := slices.IndexFunc(b.users, func(o user) bool { return o.kind == u.kind && o.key == u.key })
	switch {
	case i < 0 || u.kind == "import":
		b.fail(u.at, "Nothing to override", "No other file has this %s block. An override file only changes blocks that others declare.", u.kind)
	case u.provider != nil:
		b.users[i].provider = u.provider
	}
}

func (b *moduleBuilder) overrideCall(c call) {
	i := b.findCall(c.name)
	switch {
	case i < 0:
		b.fail(c.at, "Nothing to override", "No other file has a module %q. An override file only changes blocks that others declare.", c.name)
	case c.source != nil:
		b.calls[i].source = c.source
	}
}
