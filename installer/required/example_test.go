package required_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleRead() {
	dir, _ := os.MkdirTemp("", "configuration")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "main.tf"), []byte(`
terraform {
  required_providers {
    rocket = {
      source  = "acme/rocket"
      version = "~> 1.2"
    }
  }
}

resource "random_pet" "name" {}
`), 0o644)

	result, err := required.Read(dir, required.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, address := range []string{"acme/rocket", "hashicorp/random"} {
		p := sources.MustParseProvider(address)
		origin := result.Origins[p][0]
		fmt.Printf("%s %q, %s:%d\n", p, result.Requirements[p], filepath.Base(origin.Range.Filename), origin.Range.Start.Line)
	}
	// Output:
	// registry.opentofu.org/acme/rocket "~> 1.2", main.tf:4
	// registry.opentofu.org/hashicorp/random "", main.tf:11
}

// Errors can be printed with the lines that they are about.
func ExampleError() {
	dir, _ := os.MkdirTemp("", "configuration")
	defer os.RemoveAll(dir)
	back, _ := os.Getwd()
	_ = os.Chdir(dir)
	defer os.Chdir(back)
	_ = os.WriteFile("main.tf", []byte(`terraform {
  required_providers {
    rocket = { source = "acme/space/rocket/fuel" }
  }
}
`), 0o644)

	_, err := required.Read(".", required.Options{})
	var wrong *required.Error
	if errors.As(err, &wrong) {
		_ = hcl.NewDiagnosticTextWriter(os.Stdout, wrong.Files, 0, false).WriteDiagnostics(wrong.Diagnostics)
	}
	// Output:
	// Error: Invalid provider source
	//
	//   on main.tf line 3, in terraform:
	//    3:     rocket = { source = "acme/space/rocket/fuel" }
	//
	// The source cannot be read: invalid provider source address "acme/space/rocket/fuel": an address has the form [host/][namespace/]type.
}
