package lockfile_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
)

const rocket = "registry.opentofu.org/acme/rocket"

func TestParse(t *testing.T) {
	t.Parallel()
	one := func(version, constraints string, hashes ...hashing.Hash) installer.Locks {
		return installer.Locks{sources.MustParseProvider(rocket): lock(version, constraints, hashes...)}
	}
	for name, test := range map[string]struct {
		src  string
		want installer.Locks
	}{
		"nothing":                  {"", installer.Locks{}},
		"only a header":            {header, installer.Locks{}},
		"example":                  {exampleFile, example()},
		"line ends of Windows":     {strings.ReplaceAll(exampleFile, "\n", "\r\n"), example()},
		"on one line":              {`provider "` + rocket + `" { version = "1.0.0" }`, one("1.0.0", "")},
		"empty constraints":        {block(rocket, `version = "1.0.0"`, `constraints = ""`), one("1.0.0", "")},
		"conditions in any order":  {block(rocket, `version = "1.0.0"`, `constraints = "< 2.0.0, >= 1.0.0"`), one("1.0.0", ">= 1.0.0, < 2.0.0")},
		"hashes in any order":      {block(rocket, `version = "1.0.0"`, `hashes = ["zh:b", "h1:a", "zh:b"]`), one("1.0.0", "", "h1:a", "zh:b")},
		"unknown schemes":          {block(rocket, `version = "1.0.0"`, `hashes = ["h9:x", "zz:", "a:b:c"]`), one("1.0.0", "", "a:b:c", "h9:x", "zz:")},
		"malformed values":         {block(rocket, `version = "1.0.0"`, `hashes = ["zh:ABC", "h1:"]`), one("1.0.0", "", "h1:", "zh:ABC")},
		"escapes":                  {block(rocket, `version = "1.0.0"`, `hashes = ["x:$${a}\n\"\\"]`), one("1.0.0", "", "x:${a}\n\"\\")},
		"comments and odd layouts": {block(rocket, `/* a */ version= "1.0.0" // b`, `hashes =[ # c`, ` "h1:a"]`), one("1.0.0", "", "h1:a")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := lockfile.Parse([]byte(test.src), "x.hcl")
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			same(t, test.want, got)
		})
	}
}

func TestParseFailsClosed(t *testing.T) {
	t.Parallel()
	version := `version = "1.0.0"`
	for name, test := range map[string]struct{ src, want string }{
		"syntax":                   {`provider "`, "x.hcl:1,11-11: Unterminated string literal"},
		"byte-order mark twice":    {"\ufeff\ufeff" + exampleFile, "x.hcl:1,1-2: Invalid character"},
		"other block":              {"backend \"x\" {}\n", "x.hcl:1,1-8: Unsupported block type"},
		"argument at the top":      {"version = 1\n", "x.hcl:1,1-8: Unsupported argument"},
		"no label":                 {"provider {}\n", "x.hcl:1,10-11: Missing source address for provider"},
		"short address":            {block("acme/rocket", version), "x.hcl:1,10-23: Non-normalized provider source address"},
		"upper-case address":       {block("registry.opentofu.org/Acme/rocket", version), "x.hcl:1,10-45: Non-normalized provider source address"},
		"address in punycode":      {block("xn--bcher-kva.example/acme/rocket", version), "x.hcl:1,10-45: Invalid provider source address"},
		"malformed address":        {block("a/b/c/d", version), "x.hcl:1,10-19: Invalid provider source address"},
		"legacy address":           {block("registry.terraform.io/-/aws", version), "x.hcl:1,10-39: Invalid provider source address"},
		"built-in provider":        {block("terraform.io/builtin/terraform", version), "x.hcl:1,10-42: Invalid provider source address"},
		"two of one provider":      {block(rocket, version) + block(rocket, version), "x.hcl:4,10-45: Duplicate provider lock"},
		"no version":               {block(rocket), "x.hcl:1,46-46: Missing required argument"},
		"version is a number":      {block(rocket, `version = 1`), "x.hcl:2,11-12: Invalid value"},
		"version is null":          {block(rocket, `version = null`), "x.hcl:2,11-15: Invalid value"},
		"version is a reference":   {block(rocket, `version = foo`), "x.hcl:2,11-14: Invalid value"},
		"version is a template":    {block(rocket, `version = "1.0.${0}"`), "x.hcl:2,11-21: Invalid value"},
		"version is malformed":     {block(rocket, `version = "v1.0.0"`), "x.hcl:2,11-19: Invalid provider version number"},
		"version is not canonical": {block(rocket, `version = "1.0"`), "x.hcl:2,11-16: Invalid provider version number"},
		"version twice":            {block(rocket, version, version), "x.hcl:3,1-8: Attribute redefined"},
		"constraints malformed":    {block(rocket, version, `constraints = ">> 1"`), "x.hcl:3,15-21: Invalid provider version constraints"},
		"constraints with spaces":  {block(rocket, version, `constraints = "< 2.0.0,>= 1.0.0"`), "x.hcl:3,15-33: Invalid provider version constraints"},
		"constraints incomplete":   {block(rocket, version, `constraints = ">= 1"`), "x.hcl:3,15-21: Invalid provider version constraints"},
		"constraints repeated":     {block(rocket, version, `constraints = "1.0.0, 1.0.0"`), "x.hcl:3,15-29: Invalid provider version constraints"},
		"no hashes":                {block(rocket, version, `hashes = []`), "x.hcl:3,10-12: Invalid provider hash set"},
		"hashes are a string":      {block(rocket, version, `hashes = "h1:a"`), "x.hcl:3,10-16: Invalid provider hash set"},
		"hashes are computed":      {block(rocket, version, `hashes = [for x in ["h1:a"] : x]`), "x.hcl:3,10-33: Invalid provider hash set"},
		"hash is a number":         {block(rocket, version, `hashes = ["h1:a", 1]`), "x.hcl:3,19-20: Invalid value"},
		"hash without scheme":      {block(rocket, version, `hashes = ["h1:a", "b"]`), "x.hcl:3,19-22: Invalid provider hash string"},
		"hash with empty scheme":   {block(rocket, version, `hashes = [":b"]`), "x.hcl:3,11-15: Invalid provider hash string"},
		"unknown argument":         {block(rocket, version, `platform = "x"`), "x.hcl:3,1-9: Unsupported argument"},
		"block in a block":         {block(rocket, version, `x {}`), "x.hcl:3,1-2: Unsupported block type"},
		"too large":                {strings.Repeat("\n", lockfile.MaxBytes+1), "x.hcl:1,1-1: Not a dependency lock file"},
		"nested lists":             {"x = " + strings.Repeat("[", 2e4), "x.hcl:1,69-70: Not a dependency lock file"},
		"nested blocks":            {strings.Repeat("a{\n", 2e4), "x.hcl:65,2-3: Not a dependency lock file"},
		"operators":                {"x = " + strings.Repeat("!", 2e4), "x.hcl:1,69-70: Not a dependency lock file"},
		"conditions":               {"x = " + strings.Repeat("1?1:", 2e4), "x.hcl:1,262-263: Not a dependency lock file"},
		"templates":                {"x = " + strings.Repeat(`"${`, 2e4), "x.hcl:1,198-200: Not a dependency lock file"},
		"template directives":      {`x = "` + strings.Repeat(`%{if 1}`, 2e4), "x.hcl:1,454-456: Not a dependency lock file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			locks, diags := lockfile.Parse([]byte(test.src), "x.hcl")
			if !diags.HasErrors() || locks != nil {
				t.Fatalf("got %v, %v; want an error and no locks", locks, diags)
			}
			if first := diags.Errs()[0].Error(); !strings.HasPrefix(first, test.want+"; ") {
				t.Errorf("got  %s\nwant %s", first, test.want)
			}
		})
	}
}

func TestOneErrorIsEnoughForNoLocks(t *testing.T) {
	t.Parallel()
	locks, diags := lockfile.Parse([]byte(exampleFile+block("acme/other", `version = "1.0.0"`)), "x.hcl")
	if locks != nil || len(diags) != 1 {
		t.Errorf("got %v, %v", locks, diags)
	}
}

func TestModuleBlocksAreAWarning(t *testing.T) {
	t.Parallel()
	locks, diags := lockfile.Parse([]byte("module \"a\" {\n  version = 1\n}\nmodule \"b\" {}\n"+exampleFile), "x.hcl")
	same(t, example(), locks)
	if len(diags) != 1 || diags[0].Severity != hcl.DiagWarning || diags[0].Subject.Start.Line != 1 {
		t.Errorf("diagnostics: %v", diags)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(exampleFile))
	f.Add([]byte(strings.ReplaceAll(exampleFile, "\n", "\r\n")))
	f.Add([]byte(block(rocket, `version = "1.0.0"`, `constraints = "~> 1.0, != 1.0.0-a.1"`, `hashes = ["x:$${a}%%{b}\u00e9e\u0301"]`)))
	f.Add([]byte("module \"x\" {}\n"))
	f.Add([]byte("\ufeffprovider {}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		locks, diags := lockfile.Parse(src, "x.hcl")
		if (locks == nil) != diags.HasErrors() {
			t.Fatalf("got %v, %v", locks, diags)
		}
		if locks == nil {
			return
		}
		again, diags := lockfile.Parse(lockfile.Format(locks), "y.hcl")
		if len(diags) > 0 {
			t.Fatalf("what was formatted cannot be read: %v\n%s", diags, lockfile.Format(locks))
		}
		same(t, locks, again)
	})
}
