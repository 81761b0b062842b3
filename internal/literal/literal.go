// Package literal reads files in HCL native syntax whose values are all literals, such as dependency lock files: they
// need no evaluation, and hardly any nesting.
package literal

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxNesting is how many brackets may be open, and how many operators and templates a file may have: such files need three
// of the former and none of the latter.
const maxNesting = 64

// TooDeep reports whether a file must not reach the parser, which is recursive and would exhaust the stack, and where it
// becomes too deep. What cannot be lexed is left to the parser, which reports it better.
func TooDeep(src []byte, filename string) (at hcl.Range, deep bool) {
	tokens, _ := hclsyntax.LexConfig(bytes.Clone(src), filename, hcl.InitialPos)
	open, others := 0, 0
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
			open++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
			open = max(open-1, 0)
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			others++
		}
		if open > maxNesting || others > maxNesting {
			return token.Range, true
		}
	}
	return hcl.Range{}, false
}

// Problems collects what is wrong with a file.
type Problems struct{ Diags hcl.Diagnostics }

// Fail adds an error.
func (p *Problems) Fail(at hcl.Range, summary, format string, args ...any) {
	p.Diags = append(p.Diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: &at,
	})
}

// Text reads a string. If it is something else, that is a problem.
func (p *Problems) Text(expr hcl.Expression, what string) (string, bool) {
	template, ok := expr.(*hclsyntax.TemplateExpr)
	if !ok || !template.IsStringLiteral() {
		p.Fail(expr.Range(), "Invalid value", "The %s must be a string in quotes, without references.", what)
		return "", false
	}
	value, diags := template.Value(nil)
	p.Diags = append(p.Diags, diags...)
	if diags.HasErrors() {
		return "", false
	}
	return value.AsString(), true
}
