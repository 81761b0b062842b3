package lockfile

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/literal"
	"github.com/purveyor-dev/purveyor/sources"
)

// Name is what the file is called, in the directory of the root module.
const Name = ".terraform.lock.hcl"

// MaxBytes is the size of the largest lock file that is read, in bytes. An entry with the hashes of fifteen platforms
// has about 1,500.
const MaxBytes = 4 << 20

var fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "provider", LabelNames: []string{"source address"}},
	{Type: "module", LabelNames: []string{"path"}},
}}

var providerSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{
	{Name: "version", Required: true},
	{Name: "constraints"},
	{Name: "hashes"},
}}

// Parse reads the contents of a lock file; the filename is for the diagnostics only. With an error among the diagnostics
// the locks are nil. An empty file has no locks.
func Parse(src []byte, filename string) (installer.Locks, hcl.Diagnostics) {
	locks, _, diags := parse(src, filename)
	return locks, diags
}

// parse also returns the file, if it got so far: diagnostics are printed with its lines.
func parse(src []byte, filename string) (installer.Locks, *hcl.File, hcl.Diagnostics) {
	if diags := checkShape(src, filename); diags.HasErrors() {
		return nil, nil, diags
	}
	file, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, file, diags
	}
	p := parser{Problems: literal.Problems{Diags: diags}, locks: installer.Locks{}, seen: map[sources.Provider]hcl.Range{}}
	p.file(file.Body)
	if p.Diags.HasErrors() {
		return nil, file, p.Diags
	}
	return p.locks, file, p.Diags
}

// parser collects the entries of one file.
type parser struct {
	literal.Problems
	locks installer.Locks
	seen  map[sources.Provider]hcl.Range // labels
}

func (p *parser) file(body hcl.Body) {
	content, diags := body.Content(fileSchema)
	p.Diags = append(p.Diags, diags...)
	for _, block := range content.Blocks.OfType("provider") {
		p.provider(block)
	}
	if modules := content.Blocks.OfType("module"); len(modules) > 0 {
		p.Diags = append(p.Diags, &hcl.Diagnostic{
			Severity: hcl.DiagWarning,
			Summary:  "Module locks are not supported",
			Detail:   "Blocks of the type \"module\" are reserved for later versions of terraform and tofu; they are ignored.",
			Subject:  &modules[0].DefRange,
		})
	}
}

func (p *parser) provider(block *hcl.Block) {
	provider, ok := p.address(block.Labels[0], block.LabelRanges[0])
	content, diags := block.Body.Content(providerSchema)
	p.Diags = append(p.Diags, diags...)
	lock := installer.Lock{
		Version:     p.version(content.Attributes["version"]),
		Constraints: p.constraints(content.Attributes["constraints"]),
		Hashes:      p.hashes(content.Attributes["hashes"]),
	}
	if ok {
		p.locks[provider] = lock
	}
}

// address reads the label of a provider block.
func (p *parser) address(label string, at hcl.Range) (sources.Provider, bool) {
	provider, err := sources.ParseProvider(label)
	switch {
	case err != nil:
		p.Fail(at, "Invalid provider source address", "The label must be a provider source address: %s.", err)
	case provider.String() != label:
		p.Fail(at, "Non-normalized provider source address", "The label must be the complete address in normal form, %q.", provider)
	case provider.BuiltIn():
		p.Fail(at, "Invalid provider source address", "The provider %s is built into terraform and tofu: it has no package to lock.", provider)
	default:
		return provider, p.first(provider, at)
	}
	return sources.Provider{}, false
}

// first makes sure that there is one block for a provider.
func (p *parser) first(provider sources.Provider, at hcl.Range) bool {
	if before, duplicate := p.seen[provider]; duplicate {
		p.Fail(at, "Duplicate provider lock", "The provider %s is already locked at %s.", provider, before)
		return false
	}
	p.seen[provider] = at
	return true
}
