package mirror

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/purveyor-dev/purveyor/sources"
)

// maxLatest is the largest number of versions that "latest" takes; more are "all".
const maxLatest = 10_000

// provider reads one block.
func (p *planParser) provider(block *hcl.Block) {
	content, diags := block.Body.Content(wantSchema)
	p.Diags = append(p.Diags, diags...)
	w := Want{
		Provider:    p.address(block.Labels[0], block.LabelRanges[0]),
		Constraints: p.versions(content.Attributes["versions"]),
		Latest:      p.window(content.Attributes["latest"], content.Attributes["all"]),
		Platforms:   p.platforms(content.Attributes["platforms"]),
		Optional:    p.flag(content.Attributes["optional"]),
		Origin:      fmt.Sprintf("%s:%d", block.DefRange.Filename, block.DefRange.Start.Line),
	}
	p.plan.Wants = append(p.plan.Wants, w)
}

func (p *planParser) address(label string, at hcl.Range) sources.Provider {
	provider, err := sources.ParseProviderIn(p.opts.Registry, label)
	switch {
	case err != nil:
		p.Fail(at, "Invalid provider source address", "The label must be a provider source address: %s.", err)
	case provider.BuiltIn():
		p.Fail(at, "Invalid provider source address", "The provider %s is built into terraform and tofu: it has no package.", provider)
	}
	return provider
}

// versions reads constraints, which may be missing.
func (p *planParser) versions(attr *hcl.Attribute) (c sources.Constraints) {
	if attr == nil {
		return c
	}
	text, ok := p.Text(attr.Expr, "constraints")
	if !ok {
		return c
	}
	c, err := sources.ParseConstraints(text)
	if err != nil {
		p.Fail(attr.Expr.Range(), "Invalid provider version constraints", "The constraints cannot be read: %s.", err)
	}
	return c
}

// window reads how many versions there are to be.
func (p *planParser) window(latest, all *hcl.Attribute) int {
	if latest != nil && all != nil {
		p.Fail(all.NameRange, "Contradicting arguments", "All versions, or the latest so many: \"all\" and \"latest\" exclude each other.")
	}
	if p.flag(all) {
		return All
	}
	if latest == nil {
		return 0
	}
	literal, ok := latest.Expr.(*hclsyntax.LiteralValueExpr)
	if ok && literal.Val.Type() == cty.Number && !literal.Val.IsNull() {
		if n, exact := literal.Val.AsBigFloat().Int64(); exact == 0 && n >= 1 && n <= maxLatest {
			return int(n)
		}
	}
	p.Fail(latest.Expr.Range(), "Invalid number of versions", "The number of versions must be a whole number from 1 to %d.", maxLatest)
	return 0
}

// flag reads true or false, which may be missing.
func (p *planParser) flag(attr *hcl.Attribute) bool {
	if attr == nil {
		return false
	}
	literal, ok := attr.Expr.(*hclsyntax.LiteralValueExpr)
	if !ok || literal.Val.Type() != cty.Bool || literal.Val.IsNull() {
		p.Fail(attr.Expr.Range(), "Invalid value", "The argument %q must be true or false.", attr.Name)
		return false
	}
	return literal.Val.True()
}

// platforms reads a list, which may be missing.
func (p *planParser) platforms(attr *hcl.Attribute) []sources.Platform {
	if attr == nil {
		return nil
	}
	list, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() || len(list) == 0 {
		p.Fail(attr.Expr.Range(), "Invalid platforms", "The platforms must be a list of at least one string.")
		return nil
	}
	var platforms []sources.Platform
	for _, expr := range list {
		text, ok := p.Text(expr, "platform")
		if !ok {
			continue
		}
		on, err := sources.ParsePlatform(text)
		if err != nil {
			p.Fail(expr.Range(), "Invalid platform", "The platform cannot be read: %s.", err)
		}
		platforms = append(platforms, on)
	}
	slices.SortFunc(platforms, sources.Platform.Compare)
	return slices.Compact(platforms)
}
