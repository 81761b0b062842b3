package required_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// TestTerraformFindsTheSame lets a real terraform read the same configurations.
func TestTerraformFindsTheSame(t *testing.T) {
	t.Parallel()
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("terraform is not on PATH: nothing to compare with")
	}
	for _, test := range readCases {
		if test.tofu {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, test.archive)
			result, err := required.Read(dir, required.Options{Registry: sources.TerraformRegistry, TerraformFiles: true})
			if err != nil {
				t.Fatal(err)
			}
			run(t, dir, terraform, "get")
			got := parseTree(t, run(t, dir, terraform, "providers", "-no-color"))
			if diff := cmp.Diff(lines(got), lines(result.Requirements)); diff != "" {
				t.Errorf("requirements (-terraform +purveyor):\n%s", diff)
			}
		})
	}
}

// TestTerraformRefusesTheSame checks that errors of requirements are errors to terraform, too.
func TestTerraformRefusesTheSame(t *testing.T) {
	t.Parallel()
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("terraform is not on PATH: nothing to compare with")
	}
	for _, line := range []string{
		`r = { source = 1 }`, `r = { source = "a/b/c/d" }`, `r = { version = "" }`, `r = { version = "=> 1" }`, `r = "x"`,
		`r = true`, `r = null`, `r = ["1"]`, `r = { region = "x" }`, `Rocket = { source = "acme/rocket" }`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, unpack(t, entryError(line)), terraform, "providers")
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Errorf("terraform accepts it:\n%s", out)
			}
		})
	}
}

func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := command(t, dir, program, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// command runs without the user's settings and without a network.
func command(t *testing.T, dir, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, args...)
	config := filepath.Join(t.TempDir(), "terraform.rc")
	write(t, config, "disable_checkpoint = true\n")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+config, "TF_DATA_DIR=", "TF_IN_AUTOMATION=1")
	return cmd
}

var treeLine = regexp.MustCompile(`provider\[([^]]+)\] ?(.*)`)

// parseTree reads what "terraform providers" prints: a line "provider[address] constraints" for each module.
func parseTree(t *testing.T, tree string) installer.Requirements {
	t.Helper()
	requirements := installer.Requirements{}
	for line := range strings.Lines(tree) {
		if match := treeLine.FindStringSubmatch(line); match != nil {
			p := sources.MustParseProvider(match[1])
			requirements[p] = requirements[p].And(sources.MustParseConstraints(strings.TrimSpace(match[2])))
		}
	}
	return requirements
}
