package lockfile

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxNesting is how many brackets may be open, and how many operators and templates a file may have, before it is
// certainly not a lock file, which needs two of the former and none of the latter.
const maxNesting = 64

// checkShape refuses what must not reach the parser, which is recursive and would exhaust the stack.
func checkShape(src []byte, filename string) hcl.Diagnostics {
	if len(src) > MaxBytes {
		start := hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}
		return refusal(start, fmt.Sprintf("A dependency lock file has at most %d bytes.", MaxBytes))
	}
	// What cannot be lexed is left to the parser, which reports it better.
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
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
			return refusal(token.Range, "This is nested too deeply for a dependency lock file.")
		}
	}
	return nil
}

func refusal(at hcl.Range, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Not a dependency lock file", Detail: detail, Subject: &at}}
}
