package cliconfig_test

import (
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
)

func TestDiagnosticsAsTerraformPrintsThem(t *testing.T) {
	t.Parallel()
	src := "provider_installation {\r\n  direct {\r\n    trust_all_hashes = true\r\n  }\r\n  git_mirror {} # \x1b[2J\r\n}\r\n"
	config, diags := cliconfig.Parse([]byte(src), "/home/me/.tofurc", cliconfig.Options{})
	var out strings.Builder
	if err := cliconfig.WriteDiagnostics(&out, diags, config.Files); err != nil {
		t.Fatal(err)
	}
	const want = `╷
│ Error: Unknown installation method
│
│   on /home/me/.tofurc line 5:
│    5:   git_mirror {} # ` + "\ufffd" + `[2J
│
│ There is no provider installation method "git_mirror".
╵
╷
│ Warning: Unknown argument
│
│   on /home/me/.tofurc line 3:
│    3:     trust_all_hashes = true
│
│ A direct block has no argument "trust_all_hashes": it has no effect here.
╵
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestLongDetailsAreWrapped(t *testing.T) {
	t.Parallel()
	_, diags := cliconfig.Parse([]byte("\ufeff"), "rc", cliconfig.Options{})
	var out strings.Builder
	if err := cliconfig.WriteDiagnostics(&out, diags, nil); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if len([]rune(line)) > 78 {
			t.Errorf("too long: %s", line)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"file too large":     strings.Repeat("#\n", cliconfig.MaxFileBytes),
		"lists too deep":     "a = " + strings.Repeat("[", cliconfig.MaxNesting+1) + strings.Repeat("]", cliconfig.MaxNesting+1),
		"blocks too deep":    strings.Repeat("a {", cliconfig.MaxNesting+1) + strings.Repeat("}", cliconfig.MaxNesting+1),
		"JSON too deep":      "{\"a\": " + strings.Repeat("[", cliconfig.MaxNesting) + strings.Repeat("]", cliconfig.MaxNesting) + "}",
		"very deep":          "a = " + strings.Repeat("[", 200_000),
		"very deep JSON":     strings.Repeat("{\"a\":", 200_000),
		"number too long":    "a = 1" + strings.Repeat("0", 1000),
		"number too large":   "provider_installation { filesystem_mirror { path = 1e999999999 } }",
		"JSON number":        `{"provider_installation": {"filesystem_mirror": [{"path": 1e999999}]}}`,
		"pattern in a list":  "provider_installation { direct { include = [1e999999999] } }",
		"number in a string": "registry_protocols { retry_count = \"1e999999999\" }",
	} {
		if config, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{}); !diags.HasErrors() || config.Err() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
