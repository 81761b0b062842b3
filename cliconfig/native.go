package cliconfig

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// parser reads the grammar of HCL 1 (https://github.com/hashicorp/hcl/tree/hcl1) from the tokens of hcl/v2, and makes
// the syntax tree of hcl/v2. That grammar is wider than the one of hclsyntax in what real files use (quoted keys,
// several things on one line, a brace on the next, commas between items, labels without quotes) and narrower in that it
// has no expressions.
//
// After the first error the parser stands at the end of the file, so that everything comes to its end.
type parser struct {
	src    []byte
	tokens hclsyntax.Tokens // without comments and line breaks, which have no meaning; the last is TokenEOF
	depth  int
	diags  hcl.Diagnostics
}

// key is a name or a label.
type key struct {
	text string
	at   hcl.Range
}

// item is one or more keys followed by a value ("=") or by items in braces. Both at once is an assigned object.
type item struct {
	keys        []key
	assigned    bool
	expr        hclsyntax.Expression // nil if the value is in braces
	items       []item
	open, close hcl.Range // of the braces
}

func parseNative(src []byte, filename string) (hcl.Body, hcl.Diagnostics) {
	// A directive of hcl/v2's templates means nothing in HCL 1; the values are taken from src.
	masked := bytes.ReplaceAll(src, []byte("%{"), []byte("%_"))
	tokens, diags := hclsyntax.LexConfig(masked, filename, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	p := &parser{src: src, tokens: meaningful(tokens)}
	items := p.items(hclsyntax.TokenEOF)
	end := p.tokens[len(p.tokens)-1].Range
	body := p.body(items, hcl.Range{Filename: filename, Start: hcl.InitialPos, End: end.End}, end)
	if p.diags.HasErrors() {
		return nil, p.diags
	}
	return body, nil
}

func meaningful(tokens hclsyntax.Tokens) hclsyntax.Tokens {
	var kept hclsyntax.Tokens
	for _, token := range tokens {
		if token.Type != hclsyntax.TokenComment && token.Type != hclsyntax.TokenNewline {
			kept = append(kept, token)
		}
	}
	return kept
}

func (p *parser) peek() hclsyntax.Token { return p.tokens[0] }

func (p *parser) next() hclsyntax.Token {
	token := p.tokens[0]
	if token.Type != hclsyntax.TokenEOF {
		p.tokens = p.tokens[1:]
	}
	return token
}

func (p *parser) skip(kind hclsyntax.TokenType) bool {
	found := p.peek().Type == kind
	if found {
		p.next()
	}
	return found
}

func (p *parser) fail(at hcl.Range, summary, detail string) {
	if !p.diags.HasErrors() {
		p.diags = syntaxError(at, summary, detail)
	}
	p.tokens = p.tokens[len(p.tokens)-1:]
}

func (p *parser) unexpected(token hclsyntax.Token, wanted string) {
	p.fail(token.Range, "Syntax error", fmt.Sprintf("Expected %s, but found %s.", wanted, describe(token)))
}

// describe names a token. Words are not quoted: one could be a secret.
func describe(token hclsyntax.Token) string {
	switch token.Type {
	case hclsyntax.TokenEOF:
		return "the end of the file"
	case hclsyntax.TokenIdent:
		return "a word"
	case hclsyntax.TokenNumberLit:
		return "a number"
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
		return "a string"
	}
	return fmt.Sprintf("%q", token.Bytes)
}

// enter guards against nesting too deep; each call is followed by one of leave.
func (p *parser) enter(at hcl.Range) {
	if p.depth++; p.depth > MaxNesting {
		p.fail(at, "Nested too deeply", fmt.Sprintf("There are more than %d brackets inside one another.", MaxNesting))
	}
}

func (p *parser) leave() { p.depth-- }

// items reads items until a token that is left for the caller.
func (p *parser) items(end hclsyntax.TokenType) []item {
	var items []item
	for p.peek().Type != end && p.peek().Type != hclsyntax.TokenEOF {
		items = append(items, p.item())
		p.skip(hclsyntax.TokenComma)
	}
	return items
}

func (p *parser) item() item {
	it := item{keys: p.keys()}
	switch token := p.peek(); {
	case token.Type == hclsyntax.TokenOBrace:
	case token.Type == hclsyntax.TokenEqual && len(it.keys) == 1:
		p.next()
		it.assigned = true
	case token.Type == hclsyntax.TokenEqual:
		p.unexpected(token, `"{", since a name with labels introduces a block`)
	default:
		p.unexpected(token, `"=" or "{" after the name`)
	}
	if p.peek().Type == hclsyntax.TokenOBrace {
		it.open, it.items, it.close = p.braces()
	} else {
		it.expr = p.value()
	}
	return it
}

func (p *parser) braces() (open hcl.Range, items []item, closing hcl.Range) {
	open = p.next().Range
	p.enter(open)
	defer p.leave()
	items = p.items(hclsyntax.TokenCBrace)
	end := p.next()
	if end.Type != hclsyntax.TokenCBrace {
		p.fail(open, "Unclosed block", `There is no "}" for this brace.`)
	}
	return open, items, end.Range
}

// keys reads at least one key, even if that is an error.
func (p *parser) keys() []key {
	keys := []key{p.key()}
	for p.peek().Type == hclsyntax.TokenIdent || p.peek().Type == hclsyntax.TokenOQuote {
		keys = append(keys, p.key())
	}
	return keys
}

func (p *parser) key() key {
	switch token := p.peek(); token.Type {
	case hclsyntax.TokenIdent:
		return p.identifier()
	case hclsyntax.TokenOQuote:
		text, at := p.quoted()
		return key{text, at}
	default:
		p.unexpected(token, "a name")
		return key{at: token.Range}
	}
}

// identifier reads a name without quotes. Dots belong to it, as in "providers.v1".
func (p *parser) identifier() key {
	at := p.next().Range
	for p.continues(at) {
		at.End = p.next().Range.End
	}
	return key{string(at.SliceBytes(p.src)), at}
}

func (p *parser) continues(at hcl.Range) bool {
	token := p.peek()
	switch token.Type {
	case hclsyntax.TokenIdent, hclsyntax.TokenDot, hclsyntax.TokenMinus, hclsyntax.TokenNumberLit:
		return token.Range.Start.Byte == at.End.Byte
	}
	return false
}
