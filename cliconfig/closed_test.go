package cliconfig_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
)

// What could be misread so that a policy gets lost is an error: then there are no sources at all, rather than the public
// registries.
func TestWhatWouldLoseAPolicyIsAnError(t *testing.T) {
	t.Parallel()
	const policy = "provider_installation {\n  filesystem_mirror {\n    path = \"/srv\"\n  }\n}\n"
	for name, text := range map[string]string{
		"a hexadecimal number swallows the next name":  "setting = 0x1F\n" + policy,
		"so does a negative one":                       "setting = -0x1\n" + policy,
		"letters glued to a number":                    "setting = 1a\n" + policy,
		"include in another case":                      "provider_installation {\n  direct {\n    Include = [\"a/b\"]\n  }\n}\n",
		"exclude in another case":                      "provider_installation {\n  direct {\n    EXCLUDE = [\"a/b\"]\n  }\n}\n",
		"host in another case":                         "Host \"registry.terraform.io\" {\n  services = {\n    \"providers.v1\" = \"https://corp.example.com/\"\n  }\n}\n" + policy,
		"provider_installation in another case":        strings.Replace(policy, "provider", "Provider", 1),
		"plugin_cache_dir in another case":             "Plugin_Cache_Dir = \"/srv\"\n" + policy,
		"credentials in another case, in JSON":         `{"Credentials": {"a.example.com": {"token": "x"}}}`,
		"null for exclude":                             `{"provider_installation": [{"direct": [{"exclude": null}]}]}`,
		"null for include, beside another method":      `{"provider_installation": [{"filesystem_mirror": [{"path": "/srv"}], "direct": [{"include": null}]}]}`,
		"provider_installation in another case (JSON)": `{"PROVIDER_INSTALLATION": [{"filesystem_mirror": [{"path": "/srv"}]}]}`,
	} {
		config, diags := cliconfig.Parse([]byte(text), "cli.tfrc", cliconfig.Options{})
		if !diags.HasErrors() {
			t.Errorf("%s: accepted with %v", name, config.Methods)
		}
		if source, err := config.Source(cliconfig.SourceOptions{}); err == nil {
			t.Errorf("%s: there is a source, %v", name, source)
		}
	}
}

// A configuration file that is a link to nowhere is not the same as none.
func TestADanglingConfigurationIsAnError(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.Symlink(filepath.Join(home, "gone"), filepath.Join(home, ".tofurc")); err != nil {
		t.Skipf("not tested: %v", err)
	}
	_, diags := cliconfig.Load(cliconfig.Environment{Variables: []string{"HOME=" + home}}, cliconfig.Options{})
	if !diags.HasErrors() {
		t.Error("it counts as no configuration")
	}
}

// No message quotes a secret, also where the file is too broken to tell where one begins.
func TestSecretsAreNotQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"provider_installation {\n  network_mirror {\n    url = \"http://user:s3cret@mirror.example.com/\"\n  }\n}\n",
		`{"credentials": {"a.example.com": {"token: "s3cret"}}}`,
		"credentials \"a.example.com\" {\n  token = s3cret\n}\n",
	} {
		config, diags := cliconfig.Parse([]byte(text), "cli.tfrc", cliconfig.Options{})
		var out bytes.Buffer
		if err := cliconfig.WriteDiagnostics(&out, diags, config.Files); err != nil {
			t.Fatal(err)
		}
		if !diags.HasErrors() || strings.Contains(out.String(), "s3cret") {
			t.Errorf("for\n%s\nthis is printed:\n%s", text, out.String())
		}
	}
}
