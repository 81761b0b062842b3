package cliconfig_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// machine is an empty home directory, with a configuration file that a variable names.
type machine struct {
	dir, file string
	env       cliconfig.Environment
}

func newMachine(t *testing.T, src string) machine {
	t.Helper()
	dir := t.TempDir()
	m := machine{dir: dir, file: filepath.Join(dir, "rc")}
	write(t, m.file, src)
	write(t, filepath.Join(dir, "cache", "x"), "")
	m.env = cliconfig.Environment{
		Home: dir, AppData: dir, WorkingDir: dir,
		Variables: []string{"TF_CLI_CONFIG_FILE=" + m.file, "HOME=" + dir, "TMPDIR=" + dir, "XDG_DATA_DIRS=" + dir},
	}
	return m
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestConfigurationFiles(t *testing.T) {
	t.Parallel()
	for _, c := range corpus {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, c.src)
			config, diags := cliconfig.Load(m.env, cliconfig.Options{Registry: sources.TerraformRegistry})
			if diags.HasErrors() != (c.err != "") {
				t.Fatalf("wanted an error: %v; got %v", c.err != "", diags)
			}
			if diags.HasErrors() {
				checkError(t, config, diags, c.err, m.file)
			} else if got := methodsOf(config); !slices.Equal(got, c.methods) {
				t.Errorf("methods:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.methods, "\n"))
			}
			if c.warn != "" && !hasWarning(diags, c.warn) {
				t.Errorf("no warning with %q: %v", c.warn, diags)
			}
			if c.warn == "" && !diags.HasErrors() && len(diags) > 0 {
				t.Errorf("unexpected warnings: %v", diags)
			}
		})
	}
}

// checkError makes sure that an error says what it should, points into the file, and leaves nothing to use.
func checkError(t *testing.T, config *cliconfig.Config, diags hcl.Diagnostics, text, file string) {
	t.Helper()
	if !strings.Contains(firstError(diags), text) {
		t.Errorf("first error %q; want %q", firstError(diags), text)
	}
	for _, diag := range diags {
		if diag.Subject == nil || diag.Subject.Filename != file || diag.Subject.Start.Line < 1 {
			t.Errorf("%s: no position: %v", diag.Detail, diag.Subject)
		}
	}
	if config.Methods != nil || config.Err() == nil {
		t.Errorf("the configuration can be used: %+v", config)
	}
}

func firstError(diags hcl.Diagnostics) string {
	for _, diag := range diags {
		if diag.Severity == hcl.DiagError {
			return diag.Summary + ": " + diag.Detail
		}
	}
	return ""
}

func hasWarning(diags hcl.Diagnostics, text string) bool {
	return slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool {
		return d.Severity == hcl.DiagWarning && strings.Contains(d.Detail, text)
	})
}

// methodsOf shows the methods of a configuration the way terraform's trace does, more or less.
func methodsOf(config *cliconfig.Config) []string {
	var rows []string
	if len(config.DevOverrides) > 0 {
		var entries []string
		for provider, dir := range config.DevOverrides {
			entries = append(entries, fmt.Sprintf("%s=%s", provider, filepath.ToSlash(dir)))
		}
		slices.Sort(entries)
		rows = append(rows, "overrides "+strings.Join(entries, " "))
	}
	for _, method := range config.Methods {
		rows = append(rows, fmt.Sprintf("%s %v %v", locationOf(method.Location), method.Include, method.Exclude))
	}
	return rows
}

func locationOf(location cliconfig.Location) string {
	switch l := location.(type) {
	case cliconfig.Direct:
		return "Direct"
	case cliconfig.FilesystemMirror:
		return fmt.Sprintf("FilesystemMirror(%q)", l.Path)
	case cliconfig.NetworkMirror:
		return fmt.Sprintf("NetworkMirror(%q)", l.URL)
	case cliconfig.OCIMirror:
		return fmt.Sprintf("OCIMirror(%q)", l.Repository)
	}
	return fmt.Sprintf("%+v", location)
}

var selected = regexp.MustCompile(`Selected provider installation method cliconfig\.ProviderInstallation(.*) with includes (\[.*\]) and excludes (\[.*\])`)

// unprintable is what terraform prints for a wildcard in place of a host.
var unprintable = regexp.MustCompile(`%!s\(PANIC=String method: .* U\+002A\)`)

// TestTerraformDecidesTheSame: where terraform accepts a file, purveyor accepts it with the same methods, except in the
// cases that say why not; and where it reports errors, so does purveyor.
func TestTerraformDecidesTheSame(t *testing.T) {
	t.Parallel()
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("no terraform on PATH: the corpus is only compared with what is written in it")
	}
	for _, c := range corpus {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			methods, failed, log := terraformOn(t, terraform, newMachine(t, c.src))
			want := c.methods
			if len(want) > 0 && want[0] == overrides {
				want = want[1:] // terraform's trace does not show them
			}
			accepted := c.err == ""
			same := accepted == !failed && (!accepted || slices.Equal(methods, want) || slices.Equal(want, implied) && methods == nil)
			if same != (c.differs == "") {
				t.Errorf("same verdict: %v; supposed to differ: %q\nterraform's methods: %v, errors: %v\n%s", same, c.differs, methods, failed, log)
			}
		})
	}
}

// terraformOn runs terraform with the machine's configuration and returns what it makes of it.
func terraformOn(t *testing.T, terraform string, m machine) (methods []string, failed bool, log string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), terraform, "version", "-no-color")
	cmd.Dir = m.dir
	cmd.Env = append(slices.Clone(m.env.Variables), "TF_LOG=trace", "CHECKPOINT_DISABLE=1")
	out, _ := cmd.CombinedOutput()
	for _, match := range selected.FindAllStringSubmatch(string(out), -1) {
		row := match[1] + " " + match[2] + " " + match[3]
		methods = append(methods, unprintable.ReplaceAllString(row, "*/*/*"))
	}
	return methods, strings.Contains(string(out), "Error:") || strings.Contains(string(out), "TERRAFORM CRASH"), string(out)
}
