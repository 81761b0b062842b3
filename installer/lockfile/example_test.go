package lockfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParse() {
	locks, diags := lockfile.Parse([]byte(`
provider "registry.opentofu.org/acme/rocket" {
  version = "1.2.3"
}

provider "registry.opentofu.org/acme/missile" {
  version = "1.2"
}
`), "deps.hcl")
	fmt.Println(locks == nil, diags)
	// Output: true deps.hcl:7,13-18: Invalid provider version number; The version must be in canonical form, "1.2.0".
}

func ExampleFormat() {
	v, _ := sources.ParseVersion("1.2.3")
	os.Stdout.Write(lockfile.Format(installer.Locks{
		sources.MustParseProvider("acme/rocket"): {
			Version:     v,
			Constraints: sources.MustParseConstraints("~> 1.2"),
			Hashes:      nil,
		},
	}))
	// Output:
	// # This file is maintained automatically by "purveyor".
	// # Manual edits may be lost in future updates.
	//
	// provider "registry.opentofu.org/acme/rocket" {
	//   version     = "1.2.3"
	//   constraints = "~> 1.2"
	// }
}

// Read, change, write: a missing file is an empty one.
func ExampleWrite() {
	dir, _ := os.MkdirTemp("", "project")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, lockfile.Name)

	locks, err := lockfile.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _ := sources.ParseVersion("1.2.3")
	locks[sources.MustParseProvider("acme/rocket")] = installer.Lock{Version: v}
	if err := lockfile.Write(path, locks); err != nil {
		fmt.Println(err)
		return
	}
	again, err := lockfile.Read(path)
	fmt.Println(again.Equal(locks), err)
	// Output: true <nil>
}

// A file that is wrong says where.
func ExampleRead() {
	dir, _ := os.MkdirTemp("", "project")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, lockfile.Name)
	_ = os.WriteFile(path, []byte("provider \"acme/rocket\" {\n  version = \"1.2.3\"\n}\n"), 0o644)

	_, err := lockfile.Read(path)
	var wrong *lockfile.Error
	if errors.As(err, &wrong) {
		at := wrong.Diagnostics[0].Subject.Start
		fmt.Printf("line %d, column %d: %s\n", at.Line, at.Column, wrong.Diagnostics[0].Summary)
	}
	// Output: line 1, column 10: Non-normalized provider source address
}
