package required

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// Result is what a configuration requires.
type Result struct {
	// Requirements are the providers with the constraints of all modules, built-in providers included.
	Requirements installer.Requirements

	// Origins say for each of the Requirements which places of the configuration ask for it, in the order of module,
	// file and position. There is at least one.
	Origins map[sources.Provider][]Origin

	// Warnings are about things that are deprecated, in the order of file and position.
	Warnings hcl.Diagnostics

	// Files are the files that were read, by the names in ranges, for printing Warnings with
	// [hcl.NewDiagnosticTextWriter].
	Files map[string]*hcl.File
}

// Origin is one place that asks for a provider.
type Origin struct {
	Module      string // "module.network.module.subnets"; "" for the root module
	LocalName   string // of the provider in that module
	Constraints sources.Constraints
	Implied     bool      // the module has no entry in required_providers; this is its first use of the provider
	Range       hcl.Range // of the entry's value, of a provider block's version, or of the header of the block that implies it
}

// String returns the place for people: "net/main.tf:4 in module.network".
func (o Origin) String() string {
	place := fmt.Sprintf("%s:%d", o.Range.Filename, o.Range.Start.Line)
	if o.Module == "" {
		return place
	}
	return place + " in " + o.Module
}

// add records one origin.
func (r *Result) add(p sources.Provider, o Origin) {
	r.Requirements[p] = r.Requirements[p].And(o.Constraints)
	r.Origins[p] = append(r.Origins[p], o)
}

// sort brings origins into their documented order.
func (r *Result) sort() {
	for _, origins := range r.Origins {
		slices.SortFunc(origins, func(a, b Origin) int {
			return cmp.Or(cmp.Compare(a.Module, b.Module), compareRanges(a.Range, b.Range))
		})
	}
}

func compareRanges(a, b hcl.Range) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Start.Byte, b.Start.Byte))
}
