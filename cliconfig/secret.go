package cliconfig

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// printable returns the file for printing diagnostics: the values of secret arguments are blanked, by asterisks in the
// same places, so that no message quotes them. It works on files with syntax errors, too.
func printable(src []byte, filename string) *hcl.File {
	if len(src) > MaxFileBytes {
		return &hcl.File{}
	}
	plain := strings.NewReplacer("${", "$_", "%{", "%_")
	tokens, _ := hclsyntax.LexConfig([]byte(plain.Replace(string(src))), filename, hcl.InitialPos)
	masked := bytes.Clone(src)
	var state masking
	for _, token := range tokens {
		if state.next(token) {
			blank(masked[token.Range.Start.Byte:token.Range.End.Byte])
		}
	}
	for _, at := range urlPassword.FindAllSubmatchIndex(masked, -1) {
		blank(masked[at[2]:at[3]])
	}
	return &hcl.File{Bytes: masked}
}

// urlPassword finds the passwords in URLs.
var urlPassword = regexp.MustCompile(`://[^/@\s":]*:([^/@\s"]+)@`)

// withoutSecretLines blanks what follows the name of a secret argument to the end of its line. Where a file has syntax
// errors, nobody can say where a value begins.
func withoutSecretLines(file *hcl.File) *hcl.File {
	for start := 0; start < len(file.Bytes); {
		line := file.Bytes[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		for _, name := range secretNames {
			if i := bytes.Index(line, []byte(name)); i >= 0 {
				blank(line[i+len(name):])
			}
		}
		start += len(line) + 1
	}
	return file
}

// masking follows the tokens of a file from the name of a secret argument to the end of its value: the end of the line,
// or "}".
type masking struct {
	named, inside bool
	blanked       bool
	brackets      int
}

// next reports whether the token is part of a secret.
func (m *masking) next(token hclsyntax.Token) bool {
	switch token.Type {
	case hclsyntax.TokenEqual, hclsyntax.TokenColon:
		m.inside = m.inside || m.named
	case hclsyntax.TokenOBrack:
		m.brackets++
	case hclsyntax.TokenCBrack:
		m.brackets--
	case hclsyntax.TokenNewline:
		if m.blanked && m.brackets <= 0 {
			*m = masking{}
		}
	case hclsyntax.TokenOBrace, hclsyntax.TokenCBrace:
		*m = masking{}
	case hclsyntax.TokenOQuote, hclsyntax.TokenCQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenCHeredoc:
	default:
		if m.inside {
			m.blanked = true
			return true
		}
		m.named = slices.Contains(secretNames, string(token.Bytes))
	}
	return false
}

var secretNames = []string{"token", "password", "access_token", "refresh_token"}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = '*'
		}
	}
}
