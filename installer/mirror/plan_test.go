package mirror_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func module(constraint string) string {
	return `terraform {
  required_providers {
    rocket = {
      source  = "` + rocket.String() + `"
      version = "` + constraint + `"
    }
  }
}
resource "terraform_data" "x" {}
`
}

// Each of several modules finds in the mirror what it would select.
func TestForModules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "old", "main.tf"), module("~> 1.0"))
	write(t, filepath.Join(dir, "new", "main.tf"), module("~> 2.0"))
	p, err := mirror.ForModules(required.Options{}, filepath.Join(dir, "old"), filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	p.Platforms = []sources.Platform{linux}
	f := setup(t, rockets("1.0.0", "1.1.0", "2.0.0", "3.0.0")...)
	if got := summary(f.build(p)); len(got) != 2 || got[0] != "rocket 2.0.0 added linux" || got[1] != "rocket 1.1.0 added linux" {
		t.Errorf("the mirror has %v", got)
	}
	if p.Wants[0].Origin != filepath.Join(dir, "old") {
		t.Errorf("the origin is %q", p.Wants[0].Origin)
	}

	write(t, filepath.Join(dir, "bad", "main.tf"), module("=> 1"))
	var wrong *required.Error
	if _, err := mirror.ForModules(required.Options{}, filepath.Join(dir, "bad")); !errors.As(err, &wrong) {
		t.Errorf("the error is %v", err)
	}
	if _, err := mirror.ForModules(required.Options{}, filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestForRequirements(t *testing.T) {
	t.Parallel()
	p := mirror.ForRequirements(installer.Requirements{
		rocket: sources.MustParseConstraints("~> 1.0"),
		anvil:  {},
		sources.MustParseProvider("terraform.io/builtin/terraform"): {},
	})
	if len(p.Wants) != 2 || p.Wants[0].Provider != anvil || p.Wants[1].Constraints.String() != "~> 1.0" {
		t.Errorf("the wants are %+v", p.Wants)
	}
}

func TestForLockFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, lockfile.Name)
	hash := hashing.Hash("zh:" + make64('a'))
	if err := lockfile.Write(path, installer.Locks{rocket: {Version: sources.MustParseVersion("1.0.0"), Hashes: []hashing.Hash{hash}}}); err != nil {
		t.Fatal(err)
	}
	p, err := mirror.ForLockFiles(path)
	if err != nil || len(p.Wants) != 1 || p.Wants[0].Version.String() != "1.0.0" || p.Wants[0].Hashes[0] != hash || p.Wants[0].Origin != path {
		t.Errorf("the plan is %+v, %v", p, err)
	}
	if _, err := mirror.ForLockFiles(path, filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	write(t, path, "nonsense")
	var wrong *lockfile.Error
	if _, err := mirror.ForLockFiles(path); !errors.As(err, &wrong) {
		t.Errorf("the error is %v", err)
	}
}

// Plans that are joined keep their platforms.
func TestAnd(t *testing.T) {
	t.Parallel()
	a := mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{linux}}
	b := mirror.Plan{Wants: []mirror.Want{{Provider: anvil}, {Provider: rocket, Platforms: []sources.Platform{darwin}}}}
	all := a.And(b)
	got := [][]sources.Platform{all.Wants[0].Platforms, all.Wants[1].Platforms, all.Wants[2].Platforms}
	want := [][]sources.Platform{{linux}, nil, {darwin}}
	if diff := cmp.Diff(want, got); diff != "" || all.Platforms != nil {
		t.Error(diff, all.Platforms)
	}
}

// The unspecified version, which a lock file can name, is not the newest one.
func TestForLocksOfTheUnspecifiedVersion(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	for _, hashes := range [][]hashing.Hash{nil, {hashing.Hash("zh:" + make64('a'))}} {
		report, err := f.buildError(mirror.ForLocks(installer.Locks{rocket: {Hashes: hashes}}))
		var none *installer.NoMatchError
		if e := failure(t, err); !errors.As(e, &none) || len(report.Releases) != 0 {
			t.Errorf("the report is %v, the error %v", summary(report), err)
		}
	}
}
