package cliconfig

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

// Limits of what is read; more is an error.
const (
	MaxFileBytes = 1 << 20 // size of a file, in bytes
	MaxNesting   = 100     // brackets inside one another
)

var byteOrderMark = []byte("\ufeff")

// parseFile reads the syntax of a file: JSON if its first character that is not a space is "{", whatever the file is
// called; HCL otherwise. The body is nil if there are errors.
func parseFile(src []byte, filename string) (hcl.Body, hcl.Diagnostics) {
	start := hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}
	switch {
	case len(src) > MaxFileBytes:
		return nil, syntaxError(start, "File too large", fmt.Sprintf("A CLI configuration file has at most %d bytes.", MaxFileBytes))
	case bytes.HasPrefix(src, byteOrderMark):
		return nil, syntaxError(start, "Byte order mark",
			"The file begins with a byte order mark, which the syntax does not allow. Save it as UTF-8 without one.")
	case !utf8.Valid(src):
		return nil, syntaxError(start, "Invalid character encoding", "The file is not UTF-8.")
	}
	if !isJSON(src) {
		return parseNative(src, filename)
	}
	if nestsTooDeep(src) {
		return nil, syntaxError(start, "Nested too deeply", fmt.Sprintf("There are more than %d brackets inside one another.", MaxNesting))
	}
	file, diags := hcljson.Parse(src, filename)
	if diags.HasErrors() {
		return nil, tidy(diags, len(src))
	}
	return file.Body, diags
}

func isJSON(src []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(src, unicode.IsSpace), []byte("{"))
}

// nestsTooDeep counts the brackets of a JSON text, before a recursive parser sees them.
func nestsTooDeep(src []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			depth++
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
		if depth > MaxNesting {
			return true
		}
	}
	return false
}

// tidy takes words of the file out of messages, since one could be a secret whose quotes were forgotten, and keeps the
// positions of unclosed strings inside the file.
func tidy(diags hcl.Diagnostics, size int) hcl.Diagnostics {
	for _, diag := range diags {
		if diag.Subject.End.Byte > size {
			diag.Subject.End = diag.Subject.Start
		}
		if diag.Summary == "Invalid JSON keyword" {
			diag.Detail = "The only words without quotes are true, false and null."
		}
	}
	return diags
}

func syntaxError(at hcl.Range, summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}}
}
