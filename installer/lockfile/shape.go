package lockfile

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/internal/literal"
)

// checkShape refuses what must not reach the parser.
func checkShape(src []byte, filename string) hcl.Diagnostics {
	if len(src) > MaxBytes {
		start := hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}
		return refusal(start, fmt.Sprintf("A dependency lock file has at most %d bytes.", MaxBytes))
	}
	if at, deep := literal.TooDeep(src, filename); deep {
		return refusal(at, "This is nested too deeply for a dependency lock file.")
	}
	return nil
}

func refusal(at hcl.Range, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Not a dependency lock file", Detail: detail, Subject: &at}}
}
