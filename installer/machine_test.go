package installer_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
)

// rule says when an event can come and which of its fields are set besides Kind, Provider, Version and Platform.
type rule struct {
	after  string // any of these; "start": it can be the first
	fields string // with ?: may be zero
}

// selecting are the rules for the selection of a version.
var selecting = map[string]rule{
	"resolving": {"start", ""},
	"warning":   {"resolving warning", "message"},
	"resolved":  {"resolving warning", ""},
	"failed":    {"start resolving warning", "err"},
}

// packing are the rules for a package. Places are "home", where it is stored, and "project", the one in Dir that is not.
var packing = map[string]rule{
	"present":         {"start waiting:home retrying:home", "path proof"},
	"waiting:home":    {"start retrying:home", "path"},
	"cache-hit:home":  {"start waiting:home retrying:home", "path proof"},
	"fetching":        {"start waiting:home retrying:home retrying", "location size?"},
	"progress":        {"fetching progress", "bytes? size?"},
	"retrying":        {"progress", "location err"},
	"retrying:home":   {"start cache-hit:home verified healed:home waiting:project healed:project retrying:home", "path err"},
	"unpacking":       {"progress", ""},
	"warning":         {"start waiting:home retrying:home", "message"},
	"verified":        {"start waiting:home retrying:home warning unpacking", "proof"},
	"healed:home":     {"verified", "path"},
	"waiting:project": {"cache-hit:home verified healed:home", "path"},
	"healed:project":  {"cache-hit:home verified healed:home waiting:project", "path"},
	"installed":       {"cache-hit:home verified healed:home waiting:project healed:project", "path"},
	"locked":          {"start verified", "proof"},
	"fetched":         {"verified", "path proof size?"},
	"failed": {"start waiting:home cache-hit:home fetching progress retrying retrying:home unpacking warning verified " +
		"healed:home waiting:project healed:project", "err"},
}

// The rules name each kind, end as Last says, and lead from the start to everything.
func TestTheRulesAreWhole(t *testing.T) {
	t.Parallel()
	for _, rules := range []map[string]rule{selecting, packing} {
		for step, r := range rules {
			for _, before := range strings.Fields(r.after) {
				kind, _, _ := strings.Cut(before, ":")
				if _, known := rules[before]; before != "start" && (!known || installer.EventKind(kind).Last()) {
					t.Errorf("%s cannot follow %s", step, before)
				}
			}
		}
		reached := map[string]bool{"start": true}
		for range rules {
			for step, r := range rules {
				reached[step] = reached[step] || slices.ContainsFunc(strings.Fields(r.after), func(s string) bool { return reached[s] })
			}
		}
		for step := range rules {
			if !reached[step] {
				t.Errorf("nothing leads to %s", step)
			}
			kind, _, _ := strings.Cut(step, ":")
			goesOn := slices.ContainsFunc(slices.Collect(maps.Values(rules)), func(r rule) bool { return slices.Contains(strings.Fields(r.after), step) })
			if goesOn == installer.EventKind(kind).Last() {
				t.Errorf("%s: goes on %v", step, goesOn)
			}
		}
	}
}
