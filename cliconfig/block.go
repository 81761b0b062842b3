package cliconfig

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/sources"
)

// Block is a block of the configuration that is being decoded: the methods of a [MethodType] read their arguments from
// it. The getters report a value of the wrong type as an error and then behave as if the argument were absent; the types
// are as weak as those of HCL 1, see each getter.
type Block struct {
	Type     string            // "network_mirror"
	Range    hcl.Range         // of the type
	Registry sources.Host      // of addresses that name none
	Include  []sources.Pattern // of an installation method

	*report
	labels []string // none for installation methods
	attrs  hcl.Attributes
	known  []string // names that were asked for
	src    []byte
}

// newBlock reads the arguments of a block. What is written as a block counts as an argument whose value is an object.
func (d *decoder) newBlock(b *hcl.Block) *Block {
	block := &Block{
		Type: b.Type, Range: b.TypeRange, Registry: d.opts.Registry,
		report: &d.report, labels: b.Labels, src: d.src,
	}
	if native, ok := b.Body.(*hclsyntax.Body); ok {
		block.attrs = d.nativeArguments(native)
		return block
	}
	attrs, diags := b.Body.JustAttributes()
	block.attrs = attrs
	d.add(diags)
	return block
}

func (d *decoder) nativeArguments(body *hclsyntax.Body) hcl.Attributes {
	attrs := hcl.Attributes{}
	for _, attr := range body.Attributes {
		attrs[attr.Name] = attr.AsHCLAttribute()
	}
	for _, block := range body.Blocks {
		if first, ok := attrs[block.Type]; ok {
			d.fail(block.TypeRange, "Argument set twice", "The argument %q is already set on line %d.", block.Type, first.NameRange.Start.Line)
			continue
		}
		attrs[block.Type] = &hcl.Attribute{
			Name: block.Type, NameRange: block.TypeRange, Range: block.Range(), Expr: objectFromBlock(block),
		}
	}
	return attrs
}

// objectFromBlock turns a block into the object that HCL 1 takes it for.
func objectFromBlock(block *hclsyntax.Block) *hclsyntax.ObjectConsExpr {
	body := block.Body
	object := &hclsyntax.ObjectConsExpr{SrcRange: body.SrcRange, OpenRange: block.OpenBraceRange}
	for _, attr := range body.Attributes {
		object.Items = append(object.Items, objectOf(key{attr.Name, attr.NameRange}, attr.Expr).Items...)
	}
	for _, inner := range body.Blocks {
		object.Items = append(object.Items, objectOf(key{inner.Type, inner.TypeRange}, objectFromBlock(inner)).Items...)
	}
	slices.SortFunc(object.Items, func(a, b hclsyntax.ObjectConsItem) int {
		return a.KeyExpr.Range().Start.Byte - b.KeyExpr.Range().Start.Byte
	})
	for i := len(block.Labels) - 1; i >= 0; i-- {
		object = objectOf(key{block.Labels[i], block.LabelRanges[i]}, object)
	}
	return object
}

// Attribute returns the argument as it is written, or nil if it is absent.
func (b *Block) Attribute(name string) *hcl.Attribute {
	b.known = append(b.known, name)
	return b.attrs[name]
}

// Fail reports that an argument is wrong: an error at its value, or at the block if it is absent.
func (b *Block) Fail(name, summary, format string, args ...any) {
	b.fail(b.valueRange(name), summary, format, args...)
}

// Warn is Fail with a warning.
func (b *Block) Warn(name, summary, format string, args ...any) {
	b.warn(b.valueRange(name), summary, format, args...)
}

func (b *Block) valueRange(name string) hcl.Range {
	if attr, ok := b.attrs[name]; ok {
		return attr.Expr.Range()
	}
	return b.Range
}

// Has reports whether the argument is present. In JSON, null is absence.
func (b *Block) Has(name string) bool {
	attr := b.Attribute(name)
	return attr != nil && !isNull(attr.Expr)
}

// String returns the value of a string argument; "" if it is absent. Numbers and booleans count as strings.
func (b *Block) String(name string) string {
	return get(b, name, asString)
}

// RequiredString is String for an argument that must be present and not empty.
func (b *Block) RequiredString(name string) string {
	before := len(b.diags)
	s := b.String(name)
	if s == "" && len(b.diags) == before {
		b.Fail(name, "Missing required argument", "A %s block needs the argument %q, and it must not be empty.", b.Type, name)
	}
	return s
}

// Strings returns the value of an argument that is a list of strings; nil if it is absent, and only then. Numbers and
// booleans count as strings; a string alone is not a list.
func (b *Block) Strings(name string) []string {
	return get(b, name, asStrings)
}

// Int returns the value of an argument that is a whole number, or a string that consists of one; nil if it is absent.
func (b *Block) Int(name string) *int {
	return get(b, name, asInt)
}

// Bool returns the value of a boolean argument, nil if it is absent. Strings and numbers are not booleans.
func (b *Block) Bool(name string) *bool {
	return get(b, name, asBool)
}

func get[T any](b *Block, name string, convert func(hcl.Expression) (T, error)) T {
	var zero T
	if !b.Has(name) {
		return zero
	}
	v, err := convert(b.attrs[name].Expr)
	if err != nil {
		b.Fail(name, "Invalid value for "+name, "The argument %q must be %s.", name, err)
		return zero
	}
	return v
}

// warnUnknown warns about arguments that nobody asked for.
func (b *Block) warnUnknown() {
	for _, name := range sortedByPosition(b.attrs) {
		if !slices.Contains(b.known, name) {
			if right, ok := caseVariant(name, b.known); ok {
				b.fail(b.attrs[name].NameRange, "Misspelt argument", "Names are case-sensitive here: write %q.", right)
				continue
			}
			b.warn(b.attrs[name].NameRange, "Unknown argument", "A %s block has no argument %q: it has no effect here.", b.Type, name)
		}
	}
}

func sortedByPosition(attrs hcl.Attributes) []string {
	var names []string
	for name := range attrs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return attrs[a].NameRange.Start.Byte - attrs[b].NameRange.Start.Byte
	})
	return names
}

// caseVariant returns the known name that differs from name in case only. HCL 1 takes one for the other in some places and
// not in others; a policy must not hang on that.
func caseVariant(name string, known []string) (string, bool) {
	for _, right := range known {
		if name != right && strings.EqualFold(name, right) {
			return right, true
		}
	}
	return "", false
}
