package required

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// checkNesting refuses what must not reach the parsers: they are recursive, and a file of a megabyte can exhaust the stack.
func checkNesting(src []byte, filename string, isJSON bool) hcl.Diagnostics {
	if isJSON {
		return checkNestingJSON(src, filename)
	}
	// What cannot be lexed is left to the parser, which reports it better.
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	var n nesting
	for i, token := range tokens {
		n.token(token.Type, tokens[min(i+1, len(tokens)-1)])
		if n.depth > MaxNesting {
			return tooDeep(token.Range)
		}
	}
	return nil
}

func tooDeep(at hcl.Range) hcl.Diagnostics {
	return hcl.Diagnostics{{
		Severity: hcl.DiagError, Summary: "Nested too deeply",
		Detail: "The file nests blocks, brackets or operators deeper than any configuration needs.", Subject: &at,
	}}
}

// nesting follows how deep the parser would be. Besides brackets, operators that stand before their operand
// and template directives take it deeper, until the expression, or the template, ends.
type nesting struct {
	depth int
	open  []bracket
}

// bracket is one that is open.
type bracket struct {
	kind    hclsyntax.TokenType
	pending int // operators and directives inside it that are not complete
}

func (n *nesting) token(kind hclsyntax.TokenType, next hclsyntax.Token) {
	switch kind {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen,
		hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp:
		n.push(kind)
	case hclsyntax.TokenTemplateControl:
		n.directive(string(next.Bytes))
		n.push(kind)
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen,
		hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		n.pop()
	case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion:
		n.pend(1)
	case hclsyntax.TokenComma:
		n.endExpression()
	case hclsyntax.TokenNewline:
		if len(n.open) == 0 || n.open[len(n.open)-1].kind == hclsyntax.TokenOBrace {
			n.endExpression()
		}
	}
}

func (n *nesting) push(kind hclsyntax.TokenType) {
	n.open = append(n.open, bracket{kind: kind})
	n.depth++
}

// pop closes the innermost bracket, whatever it is: the parser will object to the wrong one.
func (n *nesting) pop() {
	if len(n.open) == 0 {
		return
	}
	n.endExpression()
	n.open = n.open[:len(n.open)-1]
	n.depth--
}

// pend counts something incomplete in the innermost bracket. At the top level there are no expressions without a line
// of their own: the attribute's brace is missing there only in the root body.
func (n *nesting) pend(by int) {
	if len(n.open) == 0 {
		n.push(hclsyntax.TokenOBrace)
	}
	n.open[len(n.open)-1].pending += by
	n.depth += by
}

func (n *nesting) endExpression() {
	if len(n.open) > 0 {
		n.depth -= n.open[len(n.open)-1].pending
		n.open[len(n.open)-1].pending = 0
	}
}

// directive follows %{if}, %{for} and their ends.
func (n *nesting) directive(keyword string) {
	switch keyword {
	case "if", "for":
		n.pend(1)
	case "endif", "endfor":
		if len(n.open) > 0 && n.open[len(n.open)-1].pending > 0 {
			n.pend(-1)
		}
	}
}

// checkNestingJSON is the same for JSON.
func checkNestingJSON(src []byte, filename string) hcl.Diagnostics {
	depth, inString := 0, false
	pos := hcl.InitialPos
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		}
		if depth > MaxNesting {
			return tooDeep(hcl.Range{Filename: filename, Start: pos, End: pos})
		}
	}
	return nil
}
