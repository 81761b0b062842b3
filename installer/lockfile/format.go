package lockfile

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/purveyor-dev/purveyor/installer"
)

// header begins each file that this package writes. The clients put their own names into the first line.
const header = `# This file is maintained automatically by "purveyor".
# Manual edits may be lost in future updates.
`

// Format returns the contents of a lock file: the entries in the order of their addresses, the hashes sorted bytewise,
// each once. For locks that [Parse] gave, Parse gives the same locks again. Locks that cannot be in a lock file give
// contents that Parse refuses.
func Format(locks installer.Locks) []byte {
	var b strings.Builder
	b.WriteString(header)
	for provider, lock := range locks.Sorted() {
		fmt.Fprintf(&b, "\nprovider %s {\n", quote(provider.String()))
		formatLock(&b, lock)
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// formatLock writes the arguments. Equals signs are aligned in adjacent lines, but not with that of a list.
func formatLock(b *strings.Builder, lock installer.Lock) {
	version, constraints := quote(lock.Version.String()), lock.Constraints.String()
	if constraints == "" {
		fmt.Fprintf(b, "  version = %s\n", version)
	} else {
		fmt.Fprintf(b, "  version     = %s\n  constraints = %s\n", version, quote(constraints))
	}
	if len(lock.Hashes) == 0 {
		return
	}
	b.WriteString("  hashes = [\n")
	for _, hash := range unique(lock.Hashes) {
		fmt.Fprintf(b, "    %s,\n", quote(hash.String()))
	}
	b.WriteString("  ]\n")
}

// quote writes an HCL string, with its escapes.
func quote(s string) []byte { return hclwrite.TokensForValue(cty.StringVal(s)).Bytes() }
