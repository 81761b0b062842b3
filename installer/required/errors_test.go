package required_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer/required"
)

// entryError is a configuration whose third line is one entry of required_providers.
func entryError(line string) string {
	return "-- main.tf --\nterraform {\n  required_providers {\n" + line + "\n  }\n}\n"
}

func TestErrorsPointAtTheirCause(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, archive string
		want          string // "file:line,column-column: summary", up to the ";"
	}{
		{"syntax", "-- main.tf --\nterraform {\n", "main.tf:1,11-12: Unclosed configuration block"},
		{"syntax of JSON", "-- main.tf.json --\n{\"a\": \n", "main.tf.json:1,1-2: Unclosed object"},
		{"source is not a string", entryError(`r = { source = 1 }`), "main.tf:3,16-17: Invalid provider source"},
		{"source is null", entryError(`r = { source = null }`), "main.tf:3,16-20: Invalid provider source"},
		{"source is a reference", entryError(`r = { source = var.x }`), "main.tf:3,16-21: Invalid provider source"},
		{"source is a template", entryError(`r = { source = "a/${var.x}" }`), "main.tf:3,16-28: Invalid provider source"},
		{"source is malformed", entryError(`r = { source = "a/b/c/d" }`), "main.tf:3,16-25: Invalid provider source"},
		{"legacy source", entryError(`r = { source = "-/aws" }`), "main.tf:3,16-23: Invalid provider source"},
		{"version is a number", entryError(`r = { version = 1 }`), "main.tf:3,17-18: Invalid version constraint"},
		{"version is a call", entryError(`r = { version = trim("1") }`), "main.tf:3,17-26: Invalid version constraint"},
		{"version is malformed", entryError(`r = { version = "=> 1" }`), "main.tf:3,17-23: Invalid version constraint"},
		{"version is empty", entryError(`r = { version = "" }`), "main.tf:3,17-19: Invalid version constraint"},
		{"shorthand is malformed", entryError(`r = "x"`), "main.tf:3,5-8: Invalid version constraint"},
		{"shorthand is empty", entryError(`r = " "`), "main.tf:3,5-8: Invalid version constraint"},
		{"shorthand is a boolean", entryError(`r = true`), "main.tf:3,5-9: Invalid version constraint"},
		{"entry is null", entryError(`r = null`), "main.tf:3,5-9: Invalid required_providers entry"},
		{"entry is a list", entryError(`r = ["1"]`), "main.tf:3,5-10: Invalid required_providers entry"},
		{"entry is a reference", entryError(`r = local.r`), "main.tf:3,5-12: Invalid required_providers entry"},
		{"entry is a block", entryError(`r {}`), "main.tf:3,1-2: Unexpected \"r\" block"},
		{"unknown field", entryError(`r = { region = "x" }`), "main.tf:3,7-13: Invalid required_providers entry"},
		{"computed field", entryError(`r = { (source) = "x" }`), "main.tf:3,7-15: Invalid required_providers entry"},
		{"name not in normal form", entryError(`Rocket = { source = "acme/rocket" }`), "main.tf:3,1-7: Invalid provider name"},
		{"name is not one", entryError(`my_rocket = { source = "acme/rocket" }`), "main.tf:3,1-10: Invalid provider name"},
		{"duplicate entry", entryError("r = \"1\"\nr = \"2\""), "main.tf:4,1-2: Attribute redefined"},
		{
			"duplicate block",
			"-- a.tf --\nterraform {\n  required_providers {}\n}\n-- b.tf --\nterraform {\n  required_providers {}\n}\n",
			"b.tf:2,3-21: Second required_providers block",
		},
		{"block as argument", "-- main.tf --\nterraform {\n  required_providers = {}\n}\n", "main.tf:2,3-21: Unsupported argument"},
		{"terraform as argument", "-- main.tf --\nterraform = {}\n", "main.tf:1,1-10: Unsupported argument"},
		{"resource without name", "-- main.tf --\nresource \"a_b\" {}\n", "main.tf:1,16-17: Missing name for resource"},
		{"type without provider", "-- main.tf --\nresource \"a b\" \"x\" {}\n", "main.tf:1,10-15: Invalid resource type"},
		{"reference to no provider", "-- main.tf --\nresource \"a_b\" \"x\" {\n  provider = a[*].x\n}\n", "main.tf:2,14-20: Invalid provider reference"},
		{"reference not in normal form", "-- main.tf --\nresource \"a_b\" \"x\" {\n  provider = A\n}\n", "main.tf:2,14-15: Invalid provider name"},
		{"provider not in normal form", "-- main.tf --\nprovider \"A\" {}\n", "main.tf:1,10-13: Invalid provider name"},
		{"provider's version", "-- main.tf --\nprovider \"a\" {\n  version = var.v\n}\n", "main.tf:2,13-18: Invalid version constraint"},
		{"module without source", "-- main.tf --\nmodule \"m\" {}\n", "main.tf:1,1-11: Missing module source"},
		{"module is not there", "-- main.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\n", "main.tf:2,12-17: Unreadable module directory"},
		{"module is not installed", "-- main.tf --\nmodule \"m\" {\n  source = \"acme/m/cloud\"\n}\n", "main.tf:2,12-26: Module not installed"},
		{"module's source is unknown", "-- main.tf --\nmodule \"m\" {\n  source = var.m\n}\n", "main.tf:2,12-17: Unknown module source"},
		{"module twice", "-- main.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n-- m/a.tf --\n", "main.tf:4,1-11: Duplicate module call"},
		{"module calls itself", "-- main.tf --\nmodule \"m\" {\n  source = \"./\"\n}\n", "main.tf:2,12-16: Circular module call"},
		{
			"modules call each other",
			"-- main.tf --\nmodule \"a\" {\n  source = \"./a\"\n}\n-- a/a.tf --\nmodule \"b\" {\n  source = \"../b\"\n}\n-- b/b.tf --\nmodule \"a\" {\n  source = \"../a\"\n}\n",
			"b.tf:2,12-18: Circular module call",
		},
		{"error in a module", "-- main.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\n-- m/m.tf --\nprovider \"A\" {}\n", "m.tf:1,10-13: Invalid provider name"},
		{"override of nothing", "-- override.tf --\nresource \"a_b\" \"x\" {}\n", "override.tf:1,1-19: Nothing to override"},
		{"override of no module", "-- override.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\n", "override.tf:1,1-11: Nothing to override"},
		{
			"broken list of modules",
			"-- main.tf --\nmodule \"m\" {\n  source = \"acme/m/cloud\"\n}\n-- .terraform/modules/modules.json --\n{",
			"modules.json:1,1-1: Unreadable list of installed modules",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, err := required.Read(unpack(t, test.archive), required.Options{})
			var wrong *required.Error
			if !errors.As(err, &wrong) || result != nil {
				t.Fatalf("got %v, %v; want an error alone", result, err)
			}
			if !strings.Contains(err.Error(), string(filepath.Separator)+test.want+"; ") {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
			for _, diag := range wrong.Diagnostics {
				if diag.Subject == nil {
					t.Errorf("no position: %v", diag)
				}
			}
		})
	}
}

func TestAllErrorsAreReportedInOrder(t *testing.T) {
	t.Parallel()
	_, err := required.Read(unpack(t, `
-- a.tf --
provider "A" {}
provider "B" {}
-- b.tf --
provider "C" {}
`), required.Options{})
	var found []string
	for _, line := range strings.Split(fmt.Sprint(err), "\n") {
		place, _, _ := strings.Cut(line[strings.LastIndexByte(line[:strings.Index(line, ": ")], filepath.Separator)+1:], ": ")
		found = append(found, place)
	}
	if got := strings.Join(found, " "); got != "a.tf:1,10-13 a.tf:2,10-13 b.tf:1,10-13" {
		t.Errorf("got %s", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	calls := func(n int, source string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "module \"m%d\" {\n  source = %q\n}\n", i, source)
		}
		return b.String()
	}
	chain := "-- main.tf --\n" + calls(1, "./0")
	for i := range required.MaxDepth + 1 {
		chain += fmt.Sprintf("-- %d/main.tf --\n%s", i, calls(1, fmt.Sprintf("../%d", i+1)))
	}
	fan := "-- main.tf --\n" + calls(10, "./0")
	for i := range 6 {
		fan += fmt.Sprintf("-- %d/main.tf --\n%s", i, calls(10, fmt.Sprintf("../%d", i+1)))
	}
	fan += "-- 6/main.tf --\n"
	for name, test := range map[string]struct{ archive, want string }{
		"file size":          {"-- main.tf --\n# " + strings.Repeat("x", required.MaxFileBytes), "larger than 4194304 bytes"},
		"module levels":      {chain, "Too many module levels"},
		"module calls":       {fan, "Too many modules"},
		"lists":              {"-- main.tf --\nlocals {\n a = " + strings.Repeat("[", 2e5), "Nested too deeply"},
		"blocks":             {"-- main.tf --\n" + strings.Repeat("a {\n", 1e5), "Nested too deeply"},
		"operators":          {"-- main.tf --\nlocals {\n a = " + strings.Repeat("!", 2e5), "Nested too deeply"},
		"signs":              {"-- main.tf --\nlocals {\n a = " + strings.Repeat("- ", 2e5), "Nested too deeply"},
		"conditions":         {"-- main.tf --\nlocals {\n a = " + strings.Repeat("1?1:", 2e5), "Nested too deeply"},
		"templates":          {"-- main.tf --\nlocals {\n a = " + strings.Repeat("\"${", 1e5), "Nested too deeply"},
		"template controls":  {"-- main.tf --\nlocals {\n a = \"" + strings.Repeat("%{if true}", 1e5), "Nested too deeply"},
		"JSON lists":         {"-- main.tf.json --\n" + strings.Repeat("[", 2e5), "Nested too deeply"},
		"JSON objects":       {"-- main.tf.json --\n" + strings.Repeat(`{"a":`, 2e5), "Nested too deeply"},
		"complete JSON":      {"-- main.tf.json --\n{\"a\":" + strings.Repeat("[", 1e3) + strings.Repeat("]", 1e3) + "}", "Nested too deeply"},
		"JSON string breaks": {"-- main.tf.json --\n[\"\n\"" + strings.Repeat("[", 2e5), "Nested too deeply"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := required.Read(unpack(t, test.archive), required.Options{})
			var wrong *required.Error
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.300v, want %s", err, test.want)
			}
		})
	}
}

func TestNestingOfRealFilesIsAccepted(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("-- main.tf --\nlocals {\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "  a%d = !var.x ? -1 : (var.y ? [for x in var.z : \"${x}-%%{if x}y%%{endif}\"] : {})\n", i)
	}
	b.WriteString("  all = [\n" + strings.Repeat("    var.x ? -1 : 1,\n", 2000) + "  ]\n")
	b.WriteString("  text = <<-EOT\n" + strings.Repeat("    %{ if var.x ~}\n    x { [ (\n    %{ endif ~}\n", 2000) + "  EOT\n}\n")
	b.WriteString("-- x.tf.json --\n{\"locals\": {\"a\": [" + strings.Repeat(`{"b": "[\"{"},`, 2000) + "1]}}\n")
	if _, err := required.Read(unpack(t, b.String()), required.Options{}); err != nil {
		t.Error(err)
	}
}

func TestDirectoriesWithFileNamesOfOtherTypesFail(t *testing.T) {
	t.Parallel()
	dir, target := t.TempDir(), t.TempDir()
	if err := os.Symlink(target, filepath.Join(dir, "main.tf")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	_, err := required.Read(dir, required.Options{})
	var wrong *required.Error
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
