package mirror_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
)

const goodPlan = `platforms = ["linux_amd64", "darwin_arm64"]

provider "hashicorp/aws" {
  versions = "~> 5.0"
  latest   = 3
}

provider "hashicorp/aws" {}

provider "registry.example.com/acme/rocket" {
  all       = true
  platforms = ["linux_amd64"]
  optional  = true
}
`

func TestReadPlan(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mirror.hcl")
	write(t, path, goodPlan)
	got, err := mirror.ReadPlan(path, mirror.PlanOptions{Registry: sources.TerraformRegistry})
	if err != nil {
		t.Fatal(err)
	}
	aws := sources.MustParseProvider("registry.terraform.io/hashicorp/aws")
	want := mirror.Plan{
		Platforms: []sources.Platform{darwin, linux},
		Wants: []mirror.Want{
			{Provider: aws, Constraints: sources.MustParseConstraints("~> 5.0"), Latest: 3, Origin: path + ":3"},
			{Provider: aws, Origin: path + ":8"},
			{Provider: rocket, Latest: mirror.All, Platforms: []sources.Platform{linux}, Optional: true, Origin: path + ":10"},
		},
	}
	same := cmp.Options{
		cmp.Comparer(func(a, b sources.Provider) bool { return a == b }),
		cmp.Comparer(func(a, b sources.Version) bool { return a == b }),
		cmp.Comparer(func(a, b sources.Constraints) bool { return a.String() == b.String() }),
	}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Error(diff)
	}
	if _, err := mirror.ReadPlan(path+"x", mirror.PlanOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestWrongPlans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`platforms = []`:                                        "p.hcl:1,13-15: Invalid platforms; The platforms must be a list of at least one string.",
		`platforms = "linux_amd64"`:                             "p.hcl:1,13-26: Invalid platforms; The platforms must be a list of at least one string.",
		`platforms = ["linux"]`:                                 "p.hcl:1,14-21: Invalid platform;",
		`platforms = [os]`:                                      "p.hcl:1,14-16: Invalid value; The platform must be a string in quotes, without references.",
		`provider "a/b/c/d" {}`:                                 "p.hcl:1,10-19: Invalid provider source address;",
		`provider "terraform.io/builtin/terraform" {}`:          "p.hcl:1,10-42: Invalid provider source address;",
		`provider {}`:                                           "p.hcl:1,10-11: Missing source address for provider;",
		`provider "a/b" { version = "1" }`:                      `p.hcl:1,18-25: Unsupported argument;`,
		`provider "a/b" { versions = "=> 1" }`:                  "p.hcl:1,29-35: Invalid provider version constraints;",
		`provider "a/b" { versions = 1 }`:                       "p.hcl:1,29-30: Invalid value; The constraints must be a string in quotes, without references.",
		`provider "a/b" { latest = 0 }`:                         "p.hcl:1,27-28: Invalid number of versions;",
		`provider "a/b" { latest = 1.5 }`:                       "p.hcl:1,27-30: Invalid number of versions;",
		`provider "a/b" { latest = -1 }`:                        "p.hcl:1,27-29: Invalid number of versions;",
		`provider "a/b" { latest = null }`:                      "p.hcl:1,27-31: Invalid number of versions;",
		`provider "a/b" { latest = 1e99 }`:                      "p.hcl:1,27-31: Invalid number of versions;",
		`provider "a/b" { all = "yes" }`:                        `p.hcl:1,24-29: Invalid value; The argument "all" must be true or false.`,
		"provider \"a/b\" {\n  all    = true\n  latest = 2\n}":  "p.hcl:2,3-6: Contradicting arguments;",
		`mirror "x" {}`:                                         "p.hcl:1,1-7: Unsupported block type;",
		`platforms = [`:                                         "p.hcl:1,",
		strings.Repeat("x = [", 100):                            "p.hcl:1,1-1: Not a plan for a mirror; this is nested too deeply.",
		strings.Repeat(" ", mirror.MaxPlanBytes+1):              "p.hcl:1,1-1: Not a plan for a mirror; a plan has at most 1048576 bytes.",
		`platforms = ["${[for x in [1, 2] : x]}"]`:              "p.hcl:1,14-40: Invalid value;",
		`provider "a/b" { platforms = [for x in ["a_b"] : x] }`: "p.hcl:1,30-52: Invalid platforms;",
	} {
		plan, err := mirror.ParsePlan([]byte(text), "p.hcl", mirror.PlanOptions{})
		var wrong *mirror.PlanError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) || plan.Wants != nil || len(wrong.Files) != 1 {
			t.Errorf("%.60s: the error is\n%v, want\n%s", text, err, want)
		}
	}
}

// Whatever a file contains, it is a plan that can be worked with, or an error that says where.
func FuzzParsePlan(f *testing.F) {
	f.Add(goodPlan)
	f.Add(`provider "a/b" { latest = 1e99 }`)
	f.Add(`platforms = ["${1}"]`)
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := mirror.ParsePlan([]byte(text), "p.hcl", mirror.PlanOptions{})
		var wrong *mirror.PlanError
		switch {
		case err != nil && (!errors.As(err, &wrong) || wrong.Error() == ""):
			t.Errorf("the error is %#v", err)
		case err == nil:
			b := &mirror.Builder{}
			if _, err := b.Build(t.Context(), plan); err == nil {
				t.Error("a Builder without anything builds")
			}
			for _, w := range plan.And().Wants {
				if w.Provider.IsZero() || w.Provider.BuiltIn() || w.Latest < mirror.All || len(w.Platforms) == 0 {
					t.Errorf("a want is %+v", w)
				}
			}
		}
	})
}
