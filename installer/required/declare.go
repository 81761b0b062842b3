package required

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// declarations are what matters of one file, undecoded as far as an override file may replace it.
type declarations struct {
	requirements []*hcl.Block // required_providers
	providers    []providerBlock
	users        []user
	calls        []call
}

// providerBlock configures a provider.
type providerBlock struct {
	name, alias string
	version     *hcl.Attribute // nil: none
	at          hcl.Range
	nameAt      hcl.Range
}

// user is a block that needs a provider: a resource or the like.
type user struct {
	kind, key string         // "resource", "aws_instance.web"
	typ       string         // "aws_instance"
	provider  *hcl.Attribute // nil: the type implies it
	at        hcl.Range
	typeAt    hcl.Range
}

// call is a module block.
type call struct {
	name   string
	source *hcl.Attribute // nil: none
	at     hcl.Range
}

var fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "terraform"},
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "data", LabelNames: []string{"type", "name"}},
	{Type: "ephemeral", LabelNames: []string{"type", "name"}},
	{Type: "action", LabelNames: []string{"type", "name"}},
	{Type: "check", LabelNames: []string{"name"}},
	{Type: "import"},
	{Type: "module", LabelNames: []string{"name"}},
}}

var (
	terraformSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "required_providers"}}}
	checkSchema     = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "data", LabelNames: []string{"type", "name"}}}}
	providerSchema  = attributes("alias", "version")
	userSchema      = attributes("provider")
	importSchema    = attributes("to", "provider")
	callSchema      = attributes("source")
)

func attributes(names ...string) *hcl.BodySchema {
	schema := &hcl.BodySchema{}
	for _, name := range names {
		schema.Attributes = append(schema.Attributes, hcl.AttributeSchema{Name: name})
	}
	return schema
}

// declarationsOf reads one file. What has no bearing on requirements is passed over.
func (l *loader) declarationsOf(file *hcl.File) *declarations {
	d := &declarations{}
	l.refuseAttributes(file.Body, "")
	for _, block := range l.content(file.Body, fileSchema).Blocks {
		l.declare(d, block)
	}
	return d
}

func (l *loader) declare(d *declarations, block *hcl.Block) {
	switch block.Type {
	case "terraform":
		l.refuseAttributes(block.Body, "required_providers")
		d.requirements = append(d.requirements, l.content(block.Body, terraformSchema).Blocks...)
	case "provider":
		d.providers = append(d.providers, l.providerBlock(block))
	case "module":
		source := l.content(block.Body, callSchema).Attributes["source"]
		d.calls = append(d.calls, call{name: block.Labels[0], source: source, at: block.DefRange})
	case "check":
		for _, data := range l.content(block.Body, checkSchema).Blocks {
			d.users = append(d.users, l.user(data))
		}
	case "import":
		l.importBlock(d, block)
	default:
		d.users = append(d.users, l.user(block))
	}
}

func (l *loader) providerBlock(block *hcl.Block) providerBlock {
	attrs := l.content(block.Body, providerSchema).Attributes
	p := providerBlock{name: block.Labels[0], version: attrs["version"], at: block.DefRange, nameAt: block.LabelRanges[0]}
	if alias, ok := attrs["alias"]; ok {
		p.alias, _ = literalString(alias.Expr)
	}
	return p
}

func (l *loader) user(block *hcl.Block) user {
	return user{
		kind: block.Type, key: block.Labels[0] + "." + block.Labels[1],
		typ: block.Labels[0], typeAt: block.LabelRanges[0],
		provider: l.content(block.Body, userSchema).Attributes["provider"], at: block.DefRange,
	}
}

// importBlock needs the provider of the resource that it imports, which may have no block yet. Resources of other
// modules are those modules' affair.
func (l *loader) importBlock(d *declarations, block *hcl.Block) {
	attrs := l.content(block.Body, importSchema).Attributes
	u := user{kind: "import", provider: attrs["provider"], at: block.DefRange}
	if to, ok := attrs["to"]; ok {
		u.typ, _ = rootName(to.Expr)
		u.typeAt = to.Expr.Range()
	}
	if u.provider == nil && (u.typ == "" || u.typ == "module") {
		return
	}
	d.users = append(d.users, u)
}

// content returns what the schema names.
func (l *loader) content(body hcl.Body, schema *hcl.BodySchema) *hcl.BodyContent {
	content, _, diags := body.PartialContent(schema)
	l.add(diags)
	return content
}

// refuseAttributes reports attributes where the clients allow only blocks, all of them or those of one name: passing
// them over would lose requirements. In JSON the two look the same.
func (l *loader) refuseAttributes(body hcl.Body, name string) {
	native, ok := body.(*hclsyntax.Body)
	if !ok {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(native.Attributes)) {
		if attr := native.Attributes[key]; name == "" || key == name {
			l.fail(attr.NameRange, "Unsupported argument", "%q is not an argument here. If a block is meant, leave out the equals sign.", key)
		}
	}
}
