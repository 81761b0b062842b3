package required_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, test := range readCases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result, err := required.Read(unpack(t, test.archive), required.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, lines(result.Requirements)); diff != "" {
				t.Errorf("requirements (-want +got):\n%s", diff)
			}
			if len(result.Origins) != len(result.Requirements) {
				t.Errorf("%d providers have origins, %d are required", len(result.Origins), len(result.Requirements))
			}
		})
	}
}

func TestRegistryIsTheHostOfAddressesWithoutOne(t *testing.T) {
	t.Parallel()
	dir := unpack(t, `
-- main.tf --
terraform {
  required_providers {
    rocket = { source = "acme/rocket" }
    short  = "1.0"
    other  = { source = "registry.example.com/acme/other" }
  }
}
provider "implied" {}
resource "terraform_data" "x" {}
`)
	result, err := required.Read(dir, required.Options{Registry: sources.TerraformRegistry})
	if err != nil {
		t.Fatal(err)
	}
	const want = `registry.example.com/acme/other
registry.terraform.io/acme/rocket
registry.terraform.io/hashicorp/implied
registry.terraform.io/hashicorp/short 1.0.0
terraform.io/builtin/terraform
`
	if diff := cmp.Diff(want, lines(result.Requirements)); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
}

func TestTerraformFilesLeavesOutThoseForTofu(t *testing.T) {
	t.Parallel()
	dir := unpack(t, "-- main.tf --\nprovider \"a\" {}\n-- main.tofu --\nprovider \"b\" {}\n-- x.tofu.json --\n{\"provider\": {\"c\": {}}}\n")
	result, err := required.Read(dir, required.Options{TerraformFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(result.Requirements); got != "hashicorp/a\n" {
		t.Errorf("requirements: %s", got)
	}
}

func TestDataDirHoldsInstalledModules(t *testing.T) {
	t.Parallel()
	module := unpack(t, "-- main.tf --\nprovider \"inside\" {}\n")
	manifest := `{"Modules": [{"Key": "m", "Dir": "` + filepath.ToSlash(module) + `"}]}`
	dir := unpack(t, "-- main.tf --\nmodule \"m\" {\n  source = \"acme/m/cloud\"\n}\n-- data/modules/modules.json --\n"+manifest)
	for _, dataDir := range []string{"data", filepath.Join(dir, "data")} {
		result, err := required.Read(dir, required.Options{DataDir: dataDir})
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(result.Requirements); got != "hashicorp/inside\n" {
			t.Errorf("requirements with DataDir %s: %s", dataDir, got)
		}
	}
}

func TestOriginsSayWhoAsks(t *testing.T) {
	t.Parallel()
	dir := unpack(t, `
-- main.tf --
terraform {
  required_providers {
    rocket = { source = "acme/rocket", version = "~> 1.0" }
  }
}
provider "rocket" {
  version = "!= 1.5.0"
}
module "net" {
  source = "./net"
}
-- net/main.tf --
resource "thing_x" "first" {}
resource "thing_x" "second" {}
module "sub" {
  source = "../sub"
}
-- sub/main.tf --
terraform {
  required_providers {
    missile = { source = "acme/rocket" }
  }
}
`)
	result, err := required.Read(dir, required.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range []string{"acme/rocket", "hashicorp/thing"} {
		for _, o := range result.Origins[sources.MustParseProvider(p)] {
			kind := "explicit"
			if o.Implied {
				kind = "implied"
			}
			place := filepath.ToSlash(strings.TrimPrefix(o.String(), dir+string(filepath.Separator)))
			got = append(got, strings.Join([]string{p, place, o.LocalName, kind, o.Constraints.String()}, "|"))
		}
	}
	want := []string{
		"acme/rocket|main.tf:3|rocket|explicit|~> 1.0",
		"acme/rocket|main.tf:7|rocket|explicit|!= 1.5.0",
		"acme/rocket|sub/main.tf:3 in module.net.module.sub|missile|explicit|",
		"hashicorp/thing|net/main.tf:1 in module.net|thing|implied|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0].Summary, "Deprecated") {
		t.Errorf("warnings: %v", result.Warnings)
	}
}

func TestDirectoryWithoutFilesRequiresNothing(t *testing.T) {
	t.Parallel()
	result, err := required.Read(t.TempDir(), required.Options{})
	if err != nil || len(result.Requirements) != 0 {
		t.Errorf("got %v, %v", result, err)
	}
}

func TestMissingDirectoryIsAFileSystemError(t *testing.T) {
	t.Parallel()
	_, err := required.Read(filepath.Join(t.TempDir(), "missing"), required.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestSymbolicLinksAreFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := unpack(t, "-- x.tf --\nprovider \"linked\" {}\n")
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(elsewhere, "x.tf"), filepath.Join(dir, "main.tf")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	result, err := required.Read(dir, required.Options{})
	if err != nil || lines(result.Requirements) != "hashicorp/linked\n" {
		t.Errorf("got %v, %v", result, err)
	}
}
