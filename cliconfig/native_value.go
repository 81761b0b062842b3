package cliconfig

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// value reads what can be assigned, except for an object.
func (p *parser) value() hclsyntax.Expression {
	token := p.peek()
	switch token.Type {
	case hclsyntax.TokenOQuote:
		text, at := p.quoted()
		return literal(cty.StringVal(text), at)
	case hclsyntax.TokenOHeredoc:
		text, at := p.heredoc()
		return literal(cty.StringVal(text), at)
	case hclsyntax.TokenNumberLit, hclsyntax.TokenMinus:
		return p.number()
	case hclsyntax.TokenOBrack:
		return p.list()
	case hclsyntax.TokenIdent:
		if word := p.identifier(); word.text == "true" || word.text == "false" {
			return literal(cty.BoolVal(word.text == "true"), word.at)
		}
	}
	p.unexpected(token, "a string, a number, true, false, a list or an object (there are no expressions here)")
	return literal(cty.DynamicVal, token.Range)
}

func literal(v cty.Value, at hcl.Range) hclsyntax.Expression {
	return &hclsyntax.LiteralValueExpr{Val: v, SrcRange: at}
}

func (p *parser) number() hclsyntax.Expression {
	at := p.next().Range
	if token := p.peek(); token.Type == hclsyntax.TokenNumberLit && token.Range.Start.Byte == at.End.Byte {
		at.End = p.next().Range.End
	}
	// What is glued to a number would be read as the next name, and hide what that name is for.
	if token := p.peek(); token.Range.Start.Byte == at.End.Byte && (token.Type == hclsyntax.TokenIdent || token.Type == hclsyntax.TokenNumberLit) {
		at.End = p.next().Range.End
	}
	text := string(at.SliceBytes(p.src))
	if _, err := strconv.ParseFloat(text, 64); err != nil || len(text) > 100 { // arbitrary precision has its price
		p.fail(at, "Invalid number", fmt.Sprintf("%.20q is not a number, or too large.", text))
		return literal(cty.DynamicVal, at)
	}
	v, err := cty.ParseNumberVal(text)
	if err != nil {
		p.fail(at, "Invalid number", fmt.Sprintf("%.20q is not a number.", text))
	}
	return literal(v, at)
}

func (p *parser) list() hclsyntax.Expression {
	open := p.next().Range
	p.enter(open)
	defer p.leave()
	list := &hclsyntax.TupleConsExpr{OpenRange: open}
	for p.peek().Type != hclsyntax.TokenCBrack {
		list.Exprs = append(list.Exprs, p.element())
		if !p.skip(hclsyntax.TokenComma) && p.peek().Type != hclsyntax.TokenCBrack {
			p.unexpected(p.peek(), `"," or "]" after an element of a list`)
			break
		}
	}
	list.SrcRange = hcl.RangeBetween(open, p.next().Range)
	return list
}

func (p *parser) element() hclsyntax.Expression {
	if p.peek().Type != hclsyntax.TokenOBrace {
		return p.value()
	}
	open, items, closing := p.braces()
	return p.object(items, hcl.RangeBetween(open, closing))
}

// quoted reads a string. Its text is that of the source: "${" has no meaning, except that quotes inside it do not end
// the string.
func (p *parser) quoted() (string, hcl.Range) {
	open := p.next()
	at := open.Range
	for depth := 1; depth > 0; {
		switch token := p.next(); token.Type {
		case hclsyntax.TokenOQuote:
			depth++
		case hclsyntax.TokenCQuote:
			depth--
			at.End = token.Range.End
		case hclsyntax.TokenEOF:
			p.fail(open.Range, "Unclosed string", "There is no quote that ends this string.")
			return "", at
		}
	}
	text, err := unquote(string(p.src[open.Range.End.Byte : at.End.Byte-1]))
	if err != nil {
		p.fail(at, "Invalid string", err.Error())
	}
	return text, at
}

// unquote replaces the escapes of a string: those of Go, and none inside "${…}".
func unquote(s string) (string, error) {
	var out strings.Builder
	for s != "" {
		if strings.HasPrefix(s, "${") {
			n := templateLen(s)
			out.WriteString(s[:n])
			s = s[n:]
			continue
		}
		c, multibyte, rest, err := strconv.UnquoteChar(s, '"')
		if err != nil {
			return "", fmt.Errorf("the string has an escape that does not exist: %.2q; a backslash is written twice", s)
		}
		if c < utf8.RuneSelf || !multibyte {
			out.WriteByte(byte(c))
		} else {
			out.WriteRune(c)
		}
		s = rest
	}
	if !utf8.ValidString(out.String()) {
		return "", fmt.Errorf("with its escapes replaced, the string is not UTF-8")
	}
	return out.String(), nil
}

// templateLen returns the length of the "${…}" at the beginning of s, braces inside it counted.
func templateLen(s string) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

func (p *parser) heredoc() (string, hcl.Range) {
	open := p.next()
	end := p.next()
	for end.Type != hclsyntax.TokenCHeredoc && end.Type != hclsyntax.TokenEOF {
		end = p.next()
	}
	at := hcl.RangeBetween(open.Range, end.Range)
	if end.Type == hclsyntax.TokenEOF {
		p.fail(open.Range, "Unclosed heredoc", "There is no line with the marker that ends this text.")
		return "", at
	}
	text := string(p.src[open.Range.End.Byte:end.Range.Start.Byte])
	lastLine := strings.LastIndexByte(text, '\n') + 1
	indent := text[lastLine:] + leadingSpace(end.Bytes)
	text = text[:lastLine]
	if strings.HasPrefix(string(open.Bytes), "<<-") {
		text = unindent(text, indent)
	}
	return text, at
}

func leadingSpace(s []byte) string {
	return string(s[:len(s)-len(strings.TrimLeft(string(s), " \t"))])
}

// unindent removes the indentation of the closing marker from all lines, if all of them have it.
func unindent(text, indent string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if line != "" && !strings.HasPrefix(line, indent) {
			return text
		}
		lines[i] = strings.TrimPrefix(line, indent)
	}
	return strings.Join(lines, "")
}
