package mirror

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/internal/literal"
	"github.com/purveyor-dev/purveyor/sources"
)

// MaxPlanBytes is the size of the largest plan file that is read, in bytes.
const MaxPlanBytes = 1 << 20

// PlanError says what is wrong with the contents of a plan file, and where.
type PlanError struct {
	Diagnostics hcl.Diagnostics      // warnings included
	Files       map[string]*hcl.File // for printing with [hcl.NewDiagnosticTextWriter]
}

// Error returns the errors among the diagnostics, one on each line: "file:line,column: what".
func (e *PlanError) Error() string {
	var lines []string
	for _, diag := range e.Diagnostics {
		if diag.Severity == hcl.DiagError {
			lines = append(lines, diag.Error())
		}
	}
	return strings.Join(lines, "\n")
}

// PlanOptions say how to read a plan file. The zero value is ready to use.
type PlanOptions struct {
	// Registry is the host of addresses that name none. Zero: [sources.DefaultRegistry].
	Registry sources.Host
}

// ReadPlan reads a plan file. The error is a [*PlanError] if the contents are wrong, and otherwise that of the file system.
func ReadPlan(path string, opts PlanOptions) (Plan, error) {
	file, err := os.Open(path)
	if err != nil {
		return Plan{}, fmt.Errorf("reading the plan: %w", err)
	}
	defer file.Close()
	src, err := io.ReadAll(io.LimitReader(file, MaxPlanBytes+1))
	if err != nil {
		return Plan{}, fmt.Errorf("reading the plan: %w", err)
	}
	return ParsePlan(src, path, opts)
}

// ParsePlan is ReadPlan for the contents of a file, whose name is for messages only. The error is a [*PlanError].
func ParsePlan(src []byte, filename string, opts PlanOptions) (Plan, error) {
	p := planParser{opts: opts}
	p.parse(src, filename)
	if p.Diags.HasErrors() {
		files := map[string]*hcl.File{filename: {Bytes: src}}
		return Plan{}, &PlanError{Diagnostics: p.Diags, Files: files}
	}
	return p.plan, nil
}

var planSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "platforms"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "provider", LabelNames: []string{"source address"}}},
}

var wantSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{
	{Name: "versions"}, {Name: "latest"}, {Name: "all"}, {Name: "platforms"}, {Name: "optional"},
}}

var errTooDeep = errors.New("this is nested too deeply")

// planParser collects what a plan file says.
type planParser struct {
	literal.Problems
	opts PlanOptions
	plan Plan
}

func (p *planParser) parse(src []byte, filename string) {
	if err := checkShape(src); err != nil {
		p.Fail(hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}, "Not a plan for a mirror", "%s.", err)
		return
	}
	file, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	if p.Diags = append(p.Diags, diags...); diags.HasErrors() {
		return
	}
	content, diags := file.Body.Content(planSchema)
	p.Diags = append(p.Diags, diags...)
	p.plan.Platforms = p.platforms(content.Attributes["platforms"])
	for _, block := range content.Blocks {
		p.provider(block)
	}
}

// checkShape refuses what must not reach the parser.
func checkShape(src []byte) error {
	if len(src) > MaxPlanBytes {
		return fmt.Errorf("a plan has at most %d bytes", MaxPlanBytes)
	}
	if _, deep := literal.TooDeep(src, ""); deep {
		return errTooDeep
	}
	return nil
}
