package cliconfig

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Error says that a configuration is unusable, and why.
type Error struct {
	Diagnostics hcl.Diagnostics      // warnings included
	Files       map[string]*hcl.File // by name, for [WriteDiagnostics]
}

// Error returns the errors among the diagnostics, one on each line.
func (e *Error) Error() string {
	var lines []string
	for _, diag := range e.Diagnostics {
		if diag.Severity == hcl.DiagError {
			lines = append(lines, diagnosticLine(diag))
		}
	}
	return strings.Join(lines, "\n")
}

func diagnosticLine(diag *hcl.Diagnostic) string {
	text := diag.Summary + ": " + diag.Detail
	if diag.Subject == nil {
		return text
	}
	return fmt.Sprintf("%s: %s", diag.Subject, text)
}

// report collects diagnostics.
type report struct{ diags hcl.Diagnostics }

func (r *report) fail(at hcl.Range, summary, format string, args ...any) {
	r.put(hcl.DiagError, &at, summary, format, args...)
}

func (r *report) warn(at hcl.Range, summary, format string, args ...any) {
	r.put(hcl.DiagWarning, &at, summary, format, args...)
}

func (r *report) put(severity hcl.DiagnosticSeverity, at *hcl.Range, summary, format string, args ...any) {
	r.diags = append(r.diags, &hcl.Diagnostic{
		Severity: severity, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: at,
	})
}

func (r *report) add(diags hcl.Diagnostics) { r.diags = append(r.diags, diags...) }
