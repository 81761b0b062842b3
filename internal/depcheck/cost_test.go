package depcheck

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// programs are what the README's table says the costs of, by the text of the first column.
var programs = map[string]string{
	"`installer`, `sources/direct`": `package main

import (
	"context"
	"fmt"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/direct"
)

func main() {
	in := &installer.Installer{Source: direct.New(direct.Config{}), Dir: "providers"}
	fmt.Println(in.Get(context.Background(), "hashicorp/random", ""))
}
`,
	"with `cliconfig`: all mirrors":               minimal,
	"with `sources/gogetter`: object stores, git": strings.Replace(minimal, `"context"`, "\"context\"\n_ \"github.com/purveyor-dev/purveyor/sources/gogetter\"", 1),
}

const minimal = `package main

import (
	"context"
	"fmt"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
)

func main() {
	config, _ := cliconfig.Load(cliconfig.OSEnvironment(), cliconfig.Options{})
	source, _ := config.Source(cliconfig.SourceOptions{})
	in := &installer.Installer{Source: source, Dir: "providers"}
	fmt.Println(in.Get(context.Background(), "hashicorp/random", ""))
}
`

var costRow = regexp.MustCompile(`(?m)^\| (.+?) \| (\d+) \| (\d+) \| ([\d.]+) MB \|$`)

// What the README says about the cost of importing the library is true, give or take what compilers change.
func TestWhatImportingCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := costRow.FindAllStringSubmatch(string(readme), -1)
	if len(rows) != len(programs) {
		t.Fatalf("the README's table has %d rows, want %d", len(rows), len(programs))
	}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			t.Parallel()
			program, ok := programs[row[1]]
			if !ok {
				t.Fatalf("nothing is known about %q", row[1])
			}
			got := measure(t, program)
			for i, have := range []float64{got.packages, got.modules, got.megabytes} {
				says, err := strconv.ParseFloat(row[2+i], 64)
				if err != nil || math.Abs(have-says) > 0.1*cmp.Or(says, 1) {
					t.Errorf("it costs %s; the README says %s", got, row[0])
				}
			}
		})
	}
}

// cost is what a program consists of: packages and modules besides the standard library, and the size of the stripped
// binary.
type cost struct{ packages, modules, megabytes float64 }

func (c cost) String() string {
	return fmt.Sprintf("%.0f packages, %.0f modules, %.1f MB", c.packages, c.modules, c.megabytes)
}

func measure(t *testing.T, program string) cost {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "go", "build", "-ldflags=-s -w", "-o", binary, source)
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(run(t, "go", "list", "-deps", "-f", "{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}", source))
	modules := map[string]bool{}
	for _, line := range lines {
		modules[line] = true
	}
	return cost{packages: float64(len(lines)), modules: float64(len(modules)), megabytes: float64(info.Size()) / 1e6}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}
