package cliconfig

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// body turns items into a body of hcl/v2. An argument that is set twice is an error.
func (p *parser) body(items []item, at, end hcl.Range) *hclsyntax.Body {
	body := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: at, EndRange: end}
	for _, it := range items {
		if !it.assigned {
			body.Blocks = append(body.Blocks, p.block(it))
			continue
		}
		attr := p.attribute(it)
		if first, ok := body.Attributes[attr.Name]; ok {
			p.fail(attr.NameRange, "Argument set twice", fmt.Sprintf("The argument %q is already set on line %d.", attr.Name, first.NameRange.Start.Line))
			continue
		}
		body.Attributes[attr.Name] = attr
	}
	return body
}

func (p *parser) attribute(it item) *hclsyntax.Attribute {
	name, expr := it.keys[0], it.expr
	if expr == nil {
		expr = p.object(it.items, hcl.RangeBetween(it.open, it.close))
	}
	return &hclsyntax.Attribute{
		Name: name.text, NameRange: name.at, Expr: expr,
		SrcRange: hcl.RangeBetween(name.at, expr.Range()),
	}
}

func (p *parser) block(it item) *hclsyntax.Block {
	block := &hclsyntax.Block{
		Type: it.keys[0].text, TypeRange: it.keys[0].at,
		OpenBraceRange: it.open, CloseBraceRange: it.close,
		Body: p.body(it.items, hcl.RangeBetween(it.open, it.close), it.close),
	}
	for _, label := range it.keys[1:] {
		block.Labels = append(block.Labels, label.text)
		block.LabelRanges = append(block.LabelRanges, label.at)
	}
	return block
}

// object turns items into an object. There, HCL 1 does not distinguish "a = {…}" from "a {…}".
func (p *parser) object(items []item, at hcl.Range) *hclsyntax.ObjectConsExpr {
	object := &hclsyntax.ObjectConsExpr{SrcRange: at, OpenRange: hcl.Range{Filename: at.Filename, Start: at.Start, End: at.Start}}
	for _, it := range items {
		value := it.expr
		if value == nil {
			value = p.object(it.items, hcl.RangeBetween(it.open, it.close))
		}
		for i := len(it.keys) - 1; i > 0; i-- {
			value = objectOf(it.keys[i], value)
		}
		object.Items = append(object.Items, objectOf(it.keys[0], value).Items...)
	}
	return object
}

func objectOf(name key, value hclsyntax.Expression) *hclsyntax.ObjectConsExpr {
	return &hclsyntax.ObjectConsExpr{
		Items:    []hclsyntax.ObjectConsItem{{KeyExpr: literal(cty.StringVal(name.text), name.at), ValueExpr: value}},
		SrcRange: value.Range(), OpenRange: value.StartRange(),
	}
}
