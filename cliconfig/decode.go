package cliconfig

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/sources"
)

// layer is what one file says.
type layer struct {
	cacheDir      *string
	cacheDirRange hcl.Range
	mayBreakLock  bool

	services     map[sources.Host]map[string]string
	tokens       map[sources.Host]sources.Token
	helpers      []CredentialsHelper
	protocols    RegistryProtocols
	installation []installation
	ociDefaults  []ociDefaults
	oci          []OCICredentials
}

// decoder reads one file.
type decoder struct {
	report
	opts     Options
	src      []byte
	filename string
	layer    layer

	protocolsAt *hcl.Range // of the file's registry_protocols block
}

// attributes and blocks of the top level. Everything else belongs to other features of the clients.
var topLevel = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "plugin_cache_dir"},
		{Name: "plugin_cache_may_break_dependency_lock_file"},
	},
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "provider_installation"},
		{Type: "host", LabelNames: []string{"hostname"}},
		{Type: "credentials", LabelNames: []string{"hostname"}},
		{Type: "credentials_helper", LabelNames: []string{"name"}},
		{Type: "registry_protocols"},
		{Type: "oci_default_credentials"},
		{Type: "oci_credentials", LabelNames: []string{"repository prefix"}},
	},
}

func decode(src []byte, filename string, opts Options) (layer, *hcl.File, hcl.Diagnostics) {
	body, diags := parseFile(src, filename)
	if diags.HasErrors() {
		return layer{}, withoutSecretLines(printable(src, filename)), diags
	}
	d := &decoder{opts: opts, src: src, filename: filename, report: report{diags}}
	d.file(body)
	return d.layer, printable(src, filename), d.diags
}

func (d *decoder) file(body hcl.Body) {
	d.rejectNonBlocks(body, topLevel.Blocks, nonBlockReason)
	d.rejectCaseVariants(body)
	d.assignedProtocols(body)
	content, _, diags := body.PartialContent(withoutEmptyTables(body))
	d.add(diags)
	d.settings(content.Attributes)
	for _, block := range content.Blocks {
		switch block.Type {
		case "provider_installation":
			d.installation(block)
		case "host":
			d.host(d.newBlock(block))
		case "credentials":
			d.credentials(d.newBlock(block))
		case "credentials_helper":
			d.helper(d.newBlock(block))
		case "registry_protocols":
			d.protocols(d.newBlock(block))
		case "oci_default_credentials":
			d.ociDefaults(d.newBlock(block))
		case "oci_credentials":
			d.ociCredentials(d.newBlock(block))
		}
	}
}

func nonBlockReason(name string) string {
	return fmt.Sprintf("%s is a block: its name (and label) is followed by a brace, without an equals sign.", name)
}

// rejectNonBlocks reports arguments that bear the name of a block: "x = {…}", and in JSON a value that stands for no
// block at all. Skipping them silently would mean to install from elsewhere than the file says.
func (d *decoder) rejectNonBlocks(body hcl.Body, blocks []hcl.BlockHeaderSchema, reason func(string) string) {
	attrs, native := topAttributes(body)
	for _, block := range blocks {
		attr, ok := attrs[block.Type]
		switch {
		case !ok, native && block.Type == "registry_protocols":
		case native:
			d.fail(attr.NameRange, "Invalid "+block.Type+" block", "%s", reason(block.Type))
		case isNothing(attr.Expr):
			d.fail(attr.NameRange, "Invalid "+block.Type+" block", "The value of %q must be an object, or a list of objects.", block.Type)
		}
	}
}

// withoutEmptyTables leaves out blocks with labels of which a JSON file has none: "credentials": {}, as it is after
// logging out.
func withoutEmptyTables(body hcl.Body) *hcl.BodySchema {
	attrs, native := topAttributes(body)
	schema := *topLevel
	schema.Blocks = slices.DeleteFunc(slices.Clone(schema.Blocks), func(b hcl.BlockHeaderSchema) bool {
		attr, ok := attrs[b.Type]
		if native || !ok || len(b.LabelNames) == 0 {
			return false
		}
		list, err := entries(attr.Expr)
		return err == nil && len(list) == 0
	})
	return &schema
}

func topAttributes(body hcl.Body) (attrs hcl.Attributes, native bool) {
	if body, ok := body.(*hclsyntax.Body); ok {
		attrs = hcl.Attributes{}
		for name, attr := range body.Attributes {
			attrs[name] = attr.AsHCLAttribute()
		}
		return attrs, true
	}
	attrs, _ = body.JustAttributes() // names that occur twice are fine for blocks
	return attrs, false
}

// rejectCaseVariants reports top-level names that differ from known ones in case only.
func (d *decoder) rejectCaseVariants(body hcl.Body) {
	var known []string
	for _, attr := range topLevel.Attributes {
		known = append(known, attr.Name)
	}
	for _, block := range topLevel.Blocks {
		known = append(known, block.Type)
	}
	reject := func(name string, at hcl.Range) {
		if right, ok := caseVariant(name, known); ok {
			d.fail(at, "Misspelt name", "Names are case-sensitive here: write %q.", right)
		}
	}
	attrs, _ := topAttributes(body)
	for _, name := range sortedByPosition(attrs) {
		reject(name, attrs[name].NameRange)
	}
	if native, ok := body.(*hclsyntax.Body); ok {
		for _, block := range native.Blocks {
			reject(block.Type, block.TypeRange)
		}
	}
}

// isNothing reports whether a JSON value is null or an empty list.
func isNothing(expr hcl.Expression) bool {
	list, diags := hcl.ExprList(expr)
	return isNull(expr) || !diags.HasErrors() && len(list) == 0
}

func (d *decoder) settings(attrs hcl.Attributes) {
	if attr, ok := attrs["plugin_cache_dir"]; ok && !isNull(attr.Expr) {
		dir, err := asString(attr.Expr)
		if err != nil {
			d.fail(attr.Expr.Range(), "Invalid plugin_cache_dir", "The argument must be %s.", err)
		}
		dir = d.opts.expand(dir)
		if dir != "" {
			d.layer.cacheDir, d.layer.cacheDirRange = &dir, attr.Expr.Range()
		}
	}
	if attr, ok := attrs["plugin_cache_may_break_dependency_lock_file"]; ok {
		on, err := asBool(attr.Expr)
		if err != nil {
			d.fail(attr.Expr.Range(), "Invalid "+attr.Name, "The argument must be %s.", err)
			return
		}
		d.layer.mayBreakLock = *on
	}
}

// put adds to a map that may be nil.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
