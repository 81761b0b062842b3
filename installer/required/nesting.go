package required

import (
	"bytes"
	"encoding/json"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// checkNesting refuses what must not reach the parsers: they are recursive, and a file of a megabyte can exhaust the
// stack.
func checkNesting(src []byte, filename string, isJSON bool) hcl.Diagnostics {
	if isJSON {
		return checkNestingJSON(src, filename)
	}
	// What cannot be lexed is left to the parser, which reports it better.
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	n := newNesting()
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
	open  []bracket // the first is the file itself and stays
}

// bracket is one that is open.
type bracket struct {
	kind    hclsyntax.TokenType
	pending int // operators and directives inside it that are not complete
}

func newNesting() *nesting { return &nesting{open: []bracket{{kind: hclsyntax.TokenOBrace}}} }

func (n *nesting) innermost() *bracket { return &n.open[len(n.open)-1] }

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
		if n.innermost().kind == hclsyntax.TokenOBrace {
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
	n.endExpression()
	if len(n.open) > 1 {
		n.open = n.open[:len(n.open)-1]
		n.depth--
	}
}

// pend counts what is not complete in the innermost bracket.
func (n *nesting) pend(by int) {
	n.innermost().pending += by
	n.depth += by
}

func (n *nesting) endExpression() { n.pend(-n.innermost().pending) }

// directive follows %{if}, %{for} and their ends.
func (n *nesting) directive(keyword string) {
	switch keyword {
	case "if", "for":
		n.pend(1)
	case "endif", "endfor":
		n.pend(-min(1, n.innermost().pending))
	}
}

// checkNestingJSON is the same for JSON. Where strings begin and end is certain only in valid JSON; in other files every
// bracket counts.
func checkNestingJSON(src []byte, filename string) hcl.Diagnostics {
	depth, inString, valid := 0, false, json.Valid(src)
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '{' || c == '[':
			if !inString {
				depth++
			}
		case !valid:
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == '}' || c == ']'):
			depth--
		}
		if depth > MaxNesting {
			return tooDeep(rangeAt(src, filename, i))
		}
	}
	return nil
}

// rangeAt returns the range of one byte.
func rangeAt(src []byte, filename string, offset int) hcl.Range {
	before := src[:offset]
	start := hcl.Pos{
		Line: 1 + bytes.Count(before, []byte("\n")), Column: offset - bytes.LastIndexByte(before, '\n'), Byte: offset,
	}
	return hcl.Range{Filename: filename, Start: start, End: hcl.Pos{Line: start.Line, Column: start.Column + 1, Byte: offset + 1}}
}
