package main

import (
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestWrongUsageIsExitStatusTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"nothing":                    {nil, "purveyor install [flags]"},
		"no such command":            {[]string{"instal"}, `no command "instal"`},
		"no such flag":               {[]string{"install", "-fast"}, "-fast"},
		"a flag of another command":  {[]string{"versions", "-upgrade", rocket}, "-upgrade"},
		"no platform":                {[]string{"install", "-platform=linux"}, "os_arch"},
		"two platforms":              {[]string{"install", "-platform=a_b", "-platform=c_d"}, "purveyor lock takes several"},
		"no registry":                {[]string{"install", "-registry=a b"}, "-registry"},
		"lockfile":                   {[]string{"install", "-lockfile=update"}, "the only value is readonly"},
		"readonly upgrade":           {[]string{"install", "-lockfile=readonly", "-upgrade"}, "forbids it"},
		"upgrade of addresses":       {[]string{"install", "-upgrade", rocket}, "no lock file is involved"},
		"readonly with addresses":    {[]string{"install", rocket, "-lockfile=readonly"}, "no lock file is involved"},
		"not an address":             {[]string{"install", "a/b/c/d"}, "[host/][namespace/]type"},
		"not a constraint":           {[]string{"install", rocket + "@=> 1"}, `written ">="`},
		"no constraint":              {[]string{"install", rocket + "@"}, "after the @"},
		"built in":                   {[]string{"install", "terraform.io/builtin/terraform"}, "built into"},
		"lock with an address":       {[]string{"lock", rocket}, "no addresses"},
		"versions of nothing":        {[]string{"versions"}, "one address"},
		"versions of two":            {[]string{"versions", "a/b", "a/c"}, "one address"},
		"versions with a constraint": {[]string{"versions", rocket + "@1.0"}, "without a constraint"},
		"explain nothing":            {[]string{"explain"}, "one address"},
		"push nothing":               {[]string{"push", "-to=example.com/a"}, "at least one address"},
		"push nowhere":               {[]string{"push", rocket}, "-to is required"},
		"push to no template":        {[]string{"push", "-to=example.com/${name}", rocket}, `no variable "name"`},
		"push offline":               {[]string{"push", "-to=example.com/a", "-offline", rocket}, "-from is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if o := w.fails(t, tt.args, exitUsage, tt.says); o.out != "" {
				t.Errorf("standard output has %q", o.out)
			}
		})
	}
	t.Cleanup(func() {
		if n := w.srv.Count(""); n != 0 {
			t.Errorf("there were %d requests", n)
		}
	})
}

func TestHelpIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"help"}, "purveyor explain [flags] ADDRESS[@CONSTRAINT]"},
		{[]string{"--help"}, "purveyor lock [flags]"},
		{[]string{"install", "-h"}, "-lockfile readonly"},
		{[]string{"help", "versions"}, "purveyor versions [flags] ADDRESS"},
		{[]string{"lock", "-help"}, "can be repeated"},
		{[]string{"push", "-h"}, "-to TEMPLATE"},
		{[]string{"help", "help"}, "purveyor lock [flags]"},
		{[]string{"help", "json"}, "JSON object on each line"},
		{[]string{"help", "json", "fields"}, "JSON object on each line"},
	} {
		if o := w.must(t, tt.args...); !strings.Contains(o.out, tt.says) || o.err != "" {
			t.Errorf("%v: nothing about %q in:\n%s%s", tt.args, tt.says, o.out, o.err)
		}
	}
}

func FuzzParseRequirement(f *testing.F) {
	for _, seed := range []string{"", "@", "a", "hashicorp/random@~> 3.6", rocket + "@>= 1, < 2", "a/b@1@2", "a/b/c/d@", "é/x@ 1 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRequirement(sources.Host{}, text)
		if err == nil && (r.provider.IsZero() || r.provider.BuiltIn()) {
			t.Errorf("%q is %v", text, r.provider)
		}
	})
}
