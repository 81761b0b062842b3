package required

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// literal returns the value of an expression that needs no evaluation. In JSON that is every expression: without an
// evaluation context its strings are not templates.
func literal(expr hcl.Expression) (cty.Value, bool) {
	if !json.IsJSONExpression(expr) && !isLiteral(expr) {
		return cty.NilVal, false
	}
	value, diags := expr.Value(nil)
	return value, !diags.HasErrors() && value.IsWhollyKnown()
}

// isLiteral reports whether an expression of the native syntax is a constant, or a string without references.
func isLiteral(expr hcl.Expression) bool {
	switch e := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.ParenthesesExpr:
		return isLiteral(e.Expression)
	case *hclsyntax.ObjectConsKeyExpr:
		return hcl.ExprAsKeyword(e) != "" || isLiteral(e.Wrapped)
	case *hclsyntax.TemplateExpr:
		for _, part := range e.Parts {
			if _, ok := part.(*hclsyntax.LiteralValueExpr); !ok {
				return false
			}
		}
		return true
	}
	return false
}

// literalString returns the value of a literal string.
func literalString(expr hcl.Expression) (string, bool) {
	value, ok := literal(expr)
	if !ok || value.IsNull() || value.Type() != cty.String {
		return "", false
	}
	return value.AsString(), true
}

// rootName returns the first name of a reference such as aws.west, "aws.west" or aws.by_region[each.key], the last of
// which is OpenTofu's.
func rootName(expr hcl.Expression) (string, bool) {
	if s, ok := literalString(expr); ok {
		if i := strings.IndexAny(s, ".["); i >= 0 {
			s = s[:i]
		}
		return s, hclsyntax.ValidIdentifier(s)
	}
	if index, ok := expr.(*hclsyntax.IndexExpr); ok {
		expr = index.Collection
	}
	traversal, diags := hcl.AbsTraversalForExpr(expr)
	if diags.HasErrors() {
		return "", false
	}
	return traversal.RootName(), true
}
