package cliconfig

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// lineWidth is that of the clients when they do not know the terminal's, in characters.
const lineWidth = 78

// WriteDiagnostics prints diagnostics the way terraform prints them, each in a frame with the line of the file that it
// is about. The files are [Config.Files]. The error is that of the writer.
func WriteDiagnostics(w io.Writer, diags hcl.Diagnostics, files map[string]*hcl.File) error {
	for _, diag := range diags {
		if _, err := io.WriteString(w, frame(diagnosticText(diag, files))); err != nil {
			return err
		}
	}
	return nil
}

func diagnosticText(diag *hcl.Diagnostic, files map[string]*hcl.File) string {
	var out strings.Builder
	severity := "Error"
	if diag.Severity == hcl.DiagWarning {
		severity = "Warning"
	}
	fmt.Fprintf(&out, "%s: %s\n\n", severity, diag.Summary)
	if diag.Subject != nil {
		writeSnippet(&out, *diag.Subject, files)
	}
	if diag.Detail != "" {
		out.WriteString(wrap(diag.Detail) + "\n")
	}
	return out.String()
}

func writeSnippet(out *strings.Builder, at hcl.Range, files map[string]*hcl.File) {
	fmt.Fprintf(out, "  on %s line %d:\n", visible(at.Filename), at.Start.Line)
	if line, ok := lineOf(files[at.Filename], at.Start.Line); ok {
		fmt.Fprintf(out, "%4d: %s\n", at.Start.Line, line)
	}
	out.WriteString("\n")
}

func lineOf(file *hcl.File, number int) (string, bool) {
	if file == nil {
		return "", false
	}
	lines := bytes.Split(file.Bytes, []byte("\n"))
	if number < 1 || number > len(lines) {
		return "", false
	}
	return visible(string(bytes.TrimRight(lines[number-1], "\r"))), true
}

// visible replaces what could control a terminal.
func visible(line string) string {
	return strings.Map(func(c rune) rune {
		if c != '\t' && (c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0) {
			return utf8.RuneError
		}
		return c
	}, strings.ToValidUTF8(line, string(utf8.RuneError)))
}

func frame(text string) string {
	var out strings.Builder
	out.WriteString("╷\n")
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		out.WriteString(strings.TrimRight("│ "+line, " ") + "\n")
	}
	out.WriteString("╵\n")
	return out.String()
}

// wrap breaks paragraphs into lines.
func wrap(text string) string {
	var out strings.Builder
	for i, paragraph := range strings.Split(text, "\n") {
		if i > 0 {
			out.WriteString("\n")
		}
		width := 0
		for j, word := range strings.Fields(visible(paragraph)) {
			n := utf8.RuneCountInString(word)
			switch {
			case j == 0:
			case width+1+n > lineWidth-2:
				out.WriteString("\n")
				width = 0
			default:
				out.WriteString(" ")
				width++
			}
			out.WriteString(word)
			width += n
		}
	}
	return out.String()
}
