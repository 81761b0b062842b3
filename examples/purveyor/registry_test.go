package main

import (
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const defaultNote = "Note: addresses that name no host are on registry.opentofu.org, as for tofu; for terraform: -registry=registry.terraform.io\n"

// onlyTerraform is a machine that has terraform, and no tofu.
func (w *world) onlyTerraform(t *testing.T) {
	t.Helper()
	w.env = append(w.env, "PATH="+tools(t, "terraform"))
}

// TestTheDefaultIsMentioned: once, where it decides and may not be what is meant.
func TestTheDefaultIsMentioned(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	w.onlyTerraform(t)
	const short = "hashicorp/alpha"
	w.write(t, "main.tf", requires(short, rocket))
	w.write(t, "full/main.tf", requires(rocket))
	w.write(t, "plan.hcl", "platforms = [\"linux_amd64\"]\nprovider \""+short+"\" {\n}\n")
	w.write(t, "full.hcl", "platforms = [\"linux_amd64\"]\nprovider \""+rocket+"\" {\n}\n")
	const platform = "-platform=linux_amd64"
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"install", short}, 1},
		{[]string{"install", short, "-registry=registry.terraform.io"}, 0},
		{[]string{"install", "-quiet", short}, 0},
		{[]string{"install", rocket}, 0},
		{[]string{"install", "registry.opentofu.org/hashicorp/alpha"}, 0},
		{[]string{"versions", short}, 1},
		{[]string{"explain", short}, 1},
		{[]string{"push", "-to", template, platform, short}, 1},
		{[]string{"mirror", "-dir=m1", platform, short}, 1},
		{[]string{"mirror", "-dir=m2", platform, rocket}, 0},
		{[]string{"mirror", "-dir=m3", platform}, 1},
		{[]string{"mirror", "-dir=m4", platform, "-module=full"}, 0},
		{[]string{"mirror", "-dir=m5", "-plan=plan.hcl"}, 1},
		{[]string{"mirror", "-dir=m6", "-plan=full.hcl"}, 0},
		{[]string{"bundle", "export", "-o=b.tar", platform}, 1},
		{[]string{"install", "-chdir=full"}, 0},
		{[]string{"lock", platform}, 1},
		{[]string{"install"}, 0}, // the lock file decides now
	} {
		o := w.must(t, tt.args...)
		if got := strings.Count(o.out+o.err, defaultNote); got != tt.want {
			t.Errorf("purveyor %s: %d notes, want %d:\n%s%s", strings.Join(tt.args, " "), got, tt.want, o.out, o.err)
		}
	}
	all := records(t, w.must(t, "versions", "-json", short).out)
	if all[0].Event != "note" || !strings.Contains(all[0].Message, "registry.opentofu.org") {
		t.Errorf("the first record is %+v", all[0])
	}
	w.env = append(w.env, "PATH="+tools(t, "terraform", "tofu"))
	if o := w.must(t, "versions", short); strings.Contains(o.err, defaultNote) {
		t.Errorf("with tofu there, it says:\n%s", o.err)
	}
}

// TestALockFileDecidesForItsModule, and for the configuration only if nothing else that is asked for is on another registry.
func TestALockFileDecidesForItsModule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.onlyTerraform(t)
	const short = "hashicorp/alpha"
	for _, name := range []string{"tf", "tofu", "none"} {
		w.write(t, name+"/main.tf", requires(short))
	}
	w.write(t, "plan.hcl", "platforms = [\"linux_amd64\"]\nprovider \""+short+"\" {\n}\n")
	w.must(t, "lock", "-chdir=tf", "-registry=registry.terraform.io")
	w.must(t, "lock", "-chdir=tofu", "-registry=registry.opentofu.org")
	w.through(t, registrytest.Method{Include: []string{"hashicorp/*"}}) // of the registry that decides
	w.onlyTerraform(t)
	const ofModule = "Note: addresses in tf that name no host are on registry.terraform.io, since the lock file is terraform's; -registry selects another\n"
	const ofOthers = "Note: other addresses that name no host are on registry.opentofu.org, as for tofu; for terraform: -registry=registry.terraform.io\n"
	for name, tt := range map[string]struct {
		args     []string
		others   int
		mirrored string // "": the module's only
	}{
		"alone":                       {nil, 0, ""},
		"beside an address":           {[]string{short}, 1, "registry.opentofu.org/hashicorp/alpha 3.1.0: added"},
		"beside one with its host":    {[]string{"registry.terraform.io/hashicorp/alpha"}, 0, ""},
		"beside a plan":               {[]string{"-plan=plan.hcl"}, 1, "registry.opentofu.org/hashicorp/alpha 3.1.0: added"},
		"beside a module of tofu":     {[]string{"-module=tofu"}, 0, "registry.opentofu.org/hashicorp/alpha 3.1.0: added"},
		"beside one without its lock": {[]string{"-module=none"}, 1, "registry.opentofu.org/hashicorp/alpha 3.1.0: added"},
	} {
		o := w.run(t, append([]string{"mirror", "-dir=" + t.TempDir(), "-platform=linux_amd64", "-module=tf"}, tt.args...)...)
		said := o.out + o.err
		if strings.Count(said, ofModule) != 1 || strings.Count(said, ofOthers) != tt.others {
			t.Errorf("%s, the notes are not as expected:\n%s", name, said)
		}
		switch modules := "registry.terraform.io/hashicorp/alpha 3.1.0: added"; {
		case tt.mirrored == "" && (o.code != exitDone || !strings.Contains(said, modules)):
			t.Errorf("%s, the module's is missing:\n%s", name, said)
		case tt.mirrored != "" && !strings.Contains(said, tt.mirrored):
			t.Errorf("%s, nothing about %q in:\n%s", name, tt.mirrored, said)
		}
	}
}

// TestAMirrorOfTerraformsModule has what the module's lock file is for.
func TestAMirrorOfTerraformsModule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.onlyTerraform(t)
	w.write(t, "main.tf", requires("hashicorp/alpha"))
	w.must(t, "lock", "-registry=registry.terraform.io")
	w.through(t, registrytest.Method{Include: []string{"hashicorp/*"}}) // terraform's, too
	w.onlyTerraform(t)
	o := w.must(t, "mirror", "-dir=mirror", "-platform=linux_amd64")
	if !strings.Contains(o.out, "registry.terraform.io/hashicorp/alpha 3.1.0: added: linux_amd64; signed by registrytest, key ") ||
		strings.Count(o.out, "since the lock file is terraform's") != 1 || strings.Contains(o.out, defaultNote) {
		t.Errorf("it says:\n%s", o.out)
	}
}
