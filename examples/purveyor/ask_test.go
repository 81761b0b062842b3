package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Commands that ask, and change nothing in the module but its lock file.

// everywhere are releases that run here, and one that does not.
func everywhere(platform string) []registrytest.Release {
	return []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.0.0"},
		{Provider: "acme/rocket", Version: "1.4.0"},
		{Provider: "acme/rocket", Version: "1.10.0", Platforms: []string{platform}},
		{Provider: "acme/rocket", Version: "2.0.0", Protocols: []string{"4.0"}},
	}
}

func TestVersionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{Releases: everywhere("plan9_mips")})
	o := w.must(t, "versions", rocket)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) != 4 {
		t.Fatalf("the output is:\n%s", o.out)
	}
	for i, want := range []string{"2.0.0", "1.10.0  not for ", "1.4.0", "1.0.0"} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if lines[3] != "1.0.0" || !strings.Contains(lines[0], "protocol") {
		t.Errorf("the output is:\n%s", o.out)
	}
	if o := w.must(t, "versions", "-platform=plan9_mips", rocket); strings.Contains(strings.Split(o.out, "\n")[1], "not for") {
		t.Errorf("the output is:\n%s", o.out)
	}
}

func TestVersionsNameTheirSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.through(t, registrytest.Method{Type: registrytest.MethodNetworkMirror}, registrytest.Method{})
	if o := w.must(t, "versions", rocket); !strings.Contains(o.out, "1.4.0        from network mirror "+w.srv.MirrorURL()+", the origin registry\n") {
		t.Errorf("the output is:\n%s", o.out)
	}
}

// TestExplainGivesAnAccountOfEachSource: one is missing, one is passed over, one does not have the version, one has it.
func TestExplainGivesAnAccountOfEachSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "registry.example.com/acme/rocket", Version: "1.0.0"}}})
	mirror := t.TempDir()
	if err := w.srv.WriteMirror(mirror, registrytest.Packed, rocket); err != nil {
		t.Fatal(err)
	}
	if err := w.srv.Add(registrytest.Release{Provider: rocket, Version: "1.4.0"}); err != nil {
		t.Fatal(err)
	}
	w.through(t,
		registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: "missing"},
		registrytest.Method{Type: registrytest.MethodNetworkMirror, Exclude: []string{"registry.example.com/*/*"}},
		registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: mirror},
		registrytest.Method{Type: registrytest.MethodNetworkMirror, Include: []string{"registry.example.com/*/*"}},
		registrytest.Method{},
	)
	o := w.must(t, "explain", rocket+"@~> 1.0")
	rest := o.out
	for _, want := range []string{
		rocket + " for ",
		"  1. filesystem mirror " + filepath.Join(w.dir, "missing"), "does not exist",
		"  2. network mirror ", "not asked: its include and exclude leave this provider out",
		"  3. filesystem mirror " + mirror, "has 1 version, up to 1.0.0", "1.4.0",
		"  4. network mirror ", "has 2 versions, up to 1.4.0", "has the package of 1.4.0",
		"  5. the origin registry", "has 2 versions, up to 1.4.0", "not asked for the package: a source before it decides",
		"Selected: 1.4.0, the newest of 2 versions that meet ~> 1.0; there are 2 in all, up to 1.4.0.",
		"The package comes from network mirror " + w.srv.MirrorURL() + ": https://",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("nothing about %q at the right place in:\n%s", want, o.out)
		}
		rest = after
	}
	if n := w.srv.Count(registrytest.KindArchive); n != 0 {
		t.Errorf("%d archives were fetched", n)
	}
	if index, versions := w.srv.Count(registrytest.KindMirrorIndex), w.srv.Count(registrytest.KindVersions); index != 1 || versions != 1 {
		t.Errorf("%d questions to the mirror and %d to the registry, want one each", index, versions)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".terraform")); err == nil {
		t.Error("something was installed")
	}
}

func TestExplainSaysWhyNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	for name, tt := range map[string]struct {
		args []string
		out  string
		err  string
	}{
		"nobody has it":      {[]string{"acme/nobody"}, "the registry has no such provider", "not found"},
		"no version":         {[]string{rocket + "@> 9"}, "has 3 versions, up to 2.0.0-beta1", "no version meets"},
		"no package":         {[]string{"-platform=plan9_mips", rocket}, "Selected: 1.4.0, the newest of 2 releases", "no package for plan9_mips"},
		"implied":            {[]string{"acme/nobody"}, "No provider_installation block is configured", ""},
		"short, terraform's": {[]string{"-registry=registry.terraform.io", "hashicorp/beta"}, "registry.terraform.io/hashicorp/beta for ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := w.fails(t, append([]string{"explain"}, tt.args...), exitFailed, tt.err)
			if !strings.Contains(o.out, tt.out) {
				t.Errorf("nothing about %q in:\n%s", tt.out, o.out)
			}
		})
	}
}

// TestExplainNamesTheNewestUsable: install says it, too.
func TestExplainNamesTheNewestUsable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{Releases: everywhere("plan9_mips")[:3]})
	w.fails(t, []string{"explain", rocket}, exitFailed, "no package for ", "; version 1.4.0 is the newest that can be used")
	w.fails(t, []string{"explain", rocket + "@> 1.4"}, exitFailed, "there are packages for plan9_mips\n")
}

func TestLockRecordsPlatforms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	const h1Note = "Note: installing will add h1 hashes; -h1 records them now"
	if o := w.must(t, "lock", "-platform=linux_arm64", "-platform=darwin_arm64"); !strings.Contains(o.out, "locked for linux_arm64, darwin_arm64: ") || !strings.Contains(o.out, h1Note) {
		t.Errorf("it says:\n%s", o.out)
	}
	if lock := w.lock(t); strings.Count(lock, `"zh:`) < 2 || w.srv.Count(registrytest.KindArchive) != 0 {
		t.Errorf("%d requests for archives, and the lock file is:\n%s", w.srv.Count(registrytest.KindArchive), lock)
	}
	if o := w.must(t, "lock", "-platform=linux_arm64", "-platform=darwin_arm64", "-h1"); strings.Contains(o.out, h1Note) {
		t.Errorf("it says:\n%s", o.out)
	}
	lock := w.lock(t)
	if strings.Count(lock, `"h1:`) != 2 {
		t.Errorf("the lock file is:\n%s", lock)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".terraform")); err == nil {
		if found, _ := filepath.Glob(filepath.Join(w.dir, ".terraform", "providers", "*", "*")); len(found) > 0 {
			t.Errorf("something was installed: %v", found)
		}
	}
	if o := w.must(t, "lock", "-platform=linux_arm64"); w.lock(t) != lock || !strings.Contains(o.out, ".terraform.lock.hcl: unchanged") {
		t.Errorf("the second time:\n%s", o.out)
	}
	w.fails(t, []string{"lock", "-platform=plan9_mips"}, exitFailed, "cannot lock "+rocket+" 1.4.0 for plan9_mips: no package for plan9_mips")
	if w.lock(t) != lock {
		t.Error("the lock file has changed")
	}
}
