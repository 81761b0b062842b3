package cliconfig

import (
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/sources"
)

// Method is one installation method, in the order of preference: a block of provider_installation, or one that is
// implied.
type Method struct {
	Type     MethodType
	Location Location          // where to install from: what Type.Decode returned
	Include  []sources.Pattern // empty: every provider
	Exclude  []sources.Pattern // beats Include
	Range    hcl.Range         // of the block's type; zero when the method is implied
}

// Location is what the block of one installation method says, besides include and exclude: a [Direct],
// [FilesystemMirror], [NetworkMirror] or [OCIMirror], or the type of a caller's [MethodType].
type Location any

// installation is one provider_installation block.
type installation struct {
	methods   []Method
	overrides map[sources.Provider]string
	at        hcl.Range
}

const overridesType = "dev_overrides"

func (d *decoder) installation(block *hcl.Block) {
	in := installation{at: block.TypeRange}
	known := d.methodSchema()
	d.rejectUnknown(block.Body, known.Blocks)
	d.rejectNonBlocks(block.Body, known.Blocks, func(name string) string {
		return "Everything inside provider_installation is a block: " + nonBlockReason(name)
	})
	content, _, diags := block.Body.PartialContent(known)
	d.add(diags)
	for _, method := range content.Blocks {
		d.method(&in, method)
	}
	d.layer.installation = append(d.layer.installation, in)
}

func (d *decoder) methodSchema() *hcl.BodySchema {
	schema := &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: overridesType}}}
	for _, method := range d.opts.Methods {
		schema.Blocks = append(schema.Blocks, hcl.BlockHeaderSchema{Type: method.Name})
	}
	return schema
}

// rejectUnknown reports everything inside provider_installation that is not the name of a method.
func (d *decoder) rejectUnknown(body hcl.Body, known []hcl.BlockHeaderSchema) {
	attrs, _ := topAttributes(body)
	if native, ok := body.(*hclsyntax.Body); ok {
		for _, block := range native.Blocks {
			d.checkMethod(block.Type, block.TypeRange, known)
		}
	}
	for _, name := range sortedByPosition(attrs) {
		d.checkMethod(name, attrs[name].NameRange, known)
	}
}

func (d *decoder) checkMethod(name string, at hcl.Range, known []hcl.BlockHeaderSchema) {
	if !slices.ContainsFunc(known, func(s hcl.BlockHeaderSchema) bool { return s.Type == name }) {
		d.fail(at, "Unknown installation method", "There is no provider installation method %q.", name)
	}
}

func (d *decoder) method(in *installation, block *hcl.Block) {
	if block.Type == overridesType {
		d.overrides(in, block)
		return
	}
	i := slices.IndexFunc(d.opts.Methods, func(m MethodType) bool { return m.Name == block.Type })
	b := d.newBlock(block)
	m := Method{Type: d.opts.Methods[i], Range: block.TypeRange}
	m.Include, m.Exclude = d.patterns(b, "include"), d.patterns(b, "exclude")
	b.Include = m.Include
	if m.Type.Decode != nil {
		m.Location = m.Type.Decode(b)
	}
	b.warnUnknown()
	in.methods = append(in.methods, m)
}

// patterns reads include or exclude. An empty list is like none.
func (d *decoder) patterns(b *Block, name string) []sources.Pattern {
	if attr := b.Attribute(name); attr != nil && isNull(attr.Expr) {
		b.Fail(name, "Invalid value for "+name, "The argument %q is null, which would let every provider in: leave it out if that is meant.", name)
		return nil
	}
	var patterns []sources.Pattern
	for _, text := range b.Strings(name) {
		pattern, err := sources.ParsePatternIn(d.opts.Registry, text)
		if err != nil {
			b.Fail(name, "Invalid provider pattern", "In %s of this %s block: %s.", name, b.Type, err)
			continue
		}
		patterns = append(patterns, pattern)
	}
	return patterns
}

// overrides reads a dev_overrides block. Several add up, later entries winning.
func (d *decoder) overrides(in *installation, block *hcl.Block) {
	if len(in.methods) > 0 {
		d.fail(block.TypeRange, "Misplaced dev_overrides block",
			"A dev_overrides block precedes all installation methods, because overrides take precedence over them.")
		return
	}
	b := d.newBlock(block)
	for _, address := range sortedByPosition(b.attrs) {
		provider, err := sources.ParseProviderIn(d.opts.Registry, address)
		if err != nil {
			d.fail(b.attrs[address].NameRange, "Invalid dev_overrides entry", "The name is not a provider's source address: %s.", err)
			continue
		}
		if dir, ok := d.overrideDir(b, address); ok {
			put(&in.overrides, provider, dir)
		}
	}
}

func (d *decoder) overrideDir(b *Block, address string) (string, bool) {
	dir, err := asString(b.attrs[address].Expr)
	if err != nil {
		d.fail(b.attrs[address].Expr.Range(), "Invalid dev_overrides entry", "The directory for %s must be %s.", address, err)
		return "", false
	}
	return filepath.Clean(dir), true
}
