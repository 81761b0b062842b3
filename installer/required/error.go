package required

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Error says what is wrong with a configuration, and where.
type Error struct {
	Diagnostics hcl.Diagnostics      // in the order of file and position, warnings included
	Files       map[string]*hcl.File // for printing with [hcl.NewDiagnosticTextWriter]
}

// Error returns the errors among the diagnostics, one on each line: "file:line,column: what".
func (e *Error) Error() string {
	var lines []string
	for _, diag := range e.Diagnostics {
		if diag.Severity == hcl.DiagError {
			lines = append(lines, diag.Error())
		}
	}
	return strings.Join(lines, "\n")
}

// report collects diagnostics.
type report struct{ diags hcl.Diagnostics }

func (r *report) fail(at hcl.Range, summary, format string, args ...any) {
	r.diags = append(r.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: &at,
	})
}

func (r *report) warn(at hcl.Range, summary, detail string) {
	r.diags = append(r.diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: detail, Subject: &at})
}

func (r *report) add(diags hcl.Diagnostics) { r.diags = append(r.diags, diags...) }

// sorted returns the diagnostics in the order of file and position.
func (r *report) sorted() hcl.Diagnostics {
	slices.SortStableFunc(r.diags, func(a, b *hcl.Diagnostic) int {
		if a.Subject == nil || b.Subject == nil {
			return cmp.Compare(boolInt(a.Subject != nil), boolInt(b.Subject != nil))
		}
		return compareRanges(*a.Subject, *b.Subject)
	})
	return r.diags
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
