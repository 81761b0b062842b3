package interop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// step is one init in the life of a module.
type step struct {
	name    string
	add     []registrytest.Release // published before it
	files   files                  // written before it
	upgrade bool
}

// history is the life of a module in which the lock file is to be the same, whoever writes it.
type history struct {
	name  string
	steps []step
}

// everywhere are the platforms of a release that people use.
var everywhere = []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"}

// releases are several versions of one provider.
func releases(provider string, versions ...string) []registrytest.Release {
	var all []registrytest.Release
	for _, version := range versions {
		all = append(all, registrytest.Release{Provider: provider, Version: version, Platforms: everywhere})
	}
	return all
}

// one is a history without a past: a module with one file, and the versions of acme/rocket.
func one(name, main string, versions ...string) history {
	return history{name, []step{{name: "init", add: releases("acme/rocket", versions...), files: files{"main.tf": main}}}}
}

// Addresses of providers that the tests' registries may have.
const (
	rocket = "registry.example.com/acme/rocket"
	sled   = "registry.example.com/acme/sled"
)

var histories = []history{
	one("no constraint", requires(rocket), "1.0.0", "1.2.0", "2.0.0-beta1"),
	one("pessimistic minor", requires(rocket+" ~> 1.0"), "1.0.0", "1.2.0", "2.0.0"),
	one("pessimistic patch", requires(rocket+" ~> 1.0.1"), "1.0.0", "1.0.7", "1.1.0"),
	one("pessimistic major", requires(rocket+" ~> 1"), "1.0.0", "1.9.0", "2.0.0"),
	one("pessimistic with zeros", requires(rocket+" ~> 1.0.0"), "1.0.0", "1.0.7", "1.1.0"),
	one("range", requires(rocket+" >= 1.0, < 2.0"), "1.0.0", "1.9.9", "2.0.0"),
	one("open range", requires(rocket+" > 1.0, <= 2"), "1.0.0", "1.9.9", "2.0.0", "2.0.1"),
	one("exact", requires(rocket+" 1.2.3"), "1.2.3", "1.2.4"),
	one("exact with an operator", requires(rocket+" = 1.2"), "1.2.0", "1.2.4"),
	one("exact prerelease", requires(rocket+" 2.0.0-beta1"), "1.2.3", "2.0.0-beta1", "2.0.0-beta2"),
	one("anything but", requires(rocket+" != 1.2.3, != 1.2.2"), "1.2.1", "1.2.2", "1.2.3"),
	one("duplicates", requires(rocket+" >= 1.0.0, >= 1.0.0"), "1.0.0", "1.1.0"),
	one("duplicates in other words", requires(rocket+" >= 1.0,>=1.0.0 , >= 1, ~> 1.0"), "1.0.0", "1.1.0"),
	one("order", requires(rocket+" < 3.0.0, != 1.5.0, >= 1.0.0, ~> 1.2, > 0.9"), "1.0.0", "1.2.0", "1.5.0"),
	one("numeric order of versions", requires(rocket), "1.9.0", "1.10.0", "1.2.0"),
	{"several modules", []step{{
		name: "init",
		add:  releases("acme/rocket", "1.0.0", "1.5.0", "1.6.0", "2.0.0"),
		files: files{
			"main.tf":              requires(rocket+" >= 1.0.0") + "module \"a\" {\n  source = \"./a\"\n}\nmodule \"b\" {\n  source = \"./b\"\n}\n",
			"a/versions.tf":        requires(rocket+" < 2.0.0, >= 1.0") + "module \"deep\" {\n  source = \"./deep\"\n}\n",
			"a/deep/versions.tf":   requires(rocket + " != 1.6.0"),
			"b/versions.tf":        requires(rocket),
			"unreferenced/main.tf": requires(rocket + " 77.0.0"),
		},
	}}},
	{"several registries", []step{{
		name:  "init",
		files: files{"main.tf": requires("zulu/rocket ~> 1.0", "hashicorp/alpha", sled, "registry.example.com/Acme/boat 1.0.0")},
		add: []registrytest.Release{
			{Provider: "zulu/rocket", Version: "1.0.0", Platforms: everywhere},
			{Provider: "hashicorp/alpha", Version: "1.0.0", Platforms: everywhere, Manifest: true},
			{Provider: "acme/sled", Version: "1.0.0", Platforms: everywhere},
			{Provider: "acme/boat", Version: "1.0.0", Manifest: true, Packages: true},
		},
	}}},
	{"no required_providers", []step{{
		name:  "init",
		files: files{"main.tf": "resource \"alpha_thing\" \"it\" {\n}\n"},
		add:   releases("hashicorp/alpha", "1.0.0", "1.1.0"),
	}}},
	{"a life", []step{
		{
			name:  "init",
			add:   append(releases("acme/rocket", "1.0.0"), releases("acme/sled", "1.0.0")...),
			files: files{"main.tf": requires(rocket + " ~> 1.0")},
		},
		{name: "again, with newer releases", add: releases("acme/rocket", "1.1.0", "2.0.0")},
		{name: "upgrade", upgrade: true},
		{name: "upgrade without anything newer", upgrade: true},
		{name: "a provider more", files: files{"main.tf": requires(rocket+" ~> 1.0", sled)}},
		{name: "only constraints change", files: files{"main.tf": requires(rocket+" >= 1.1.0", sled)}},
		{name: "upgrade over a constraint that is gone", upgrade: true},
		{name: "a provider less", files: files{"main.tf": requires(sled)}},
		{name: "none left", files: files{"main.tf": "\n"}},
	}},
}

func TestLockFilesEqualTheClients(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		for _, h := range histories {
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, c, registrytest.Config{})
				theirs, ours := w.module(t, nil), w.module(t, nil)
				for _, s := range h.steps {
					s.take(t, theirs, ours)
				}
			})
		}
	})
}

func TestLockFilesNameRegistriesAlike(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		for name, address := range map[string]func(w *world) string{
			"host with a port":       func(w *world) string { return w.srv.Host() + "/acme/rocket" },
			"international host":     func(*world) string { return "bücher.example.com/acme/rocket" },
			"capitals":               func(*world) string { return "Registry.EXAMPLE.com/ACME/Rocket" },
			"the usual port":         func(*world) string { return "registry.example.com:443/acme/rocket" },
			"international provider": func(*world) string { return "registry.example.com/äcme/raumschiffchenpüree" },
			"no namespace":           func(*world) string { return "rocket" },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, c, registrytest.Config{})
				w.add(t, releases("acme/rocket", "1.0.0")...)
				w.add(t, releases("hashicorp/rocket", "1.0.0")...)
				w.add(t, releases("äcme/raumschiffchenpüree", "1.0.0")...)
				s := step{name: name, files: files{"main.tf": requires(address(w))}}
				s.take(t, w.module(t, nil), w.module(t, nil))
			})
		}
	})
}

// take takes the step in a module of theirs and in one of ours, and compares.
func (s *step) take(t *testing.T, theirs, ours *module) {
	t.Helper()
	theirs.add(t, s.add...)
	theirs.write(t, s.files)
	ours.write(t, s.files)
	if s.upgrade {
		theirs.run(t, "init", "-upgrade")
		ours.upgrade(t)
	} else {
		theirs.run(t, "init")
		ours.install(t)
	}
	if diff := cmp.Diff(theirs.locked(t), ours.locked(t)); diff != "" {
		t.Errorf("%s: the lock file differs (-%s +ours):\n%s", s.name, theirs.cli.name, diff)
	}
}

// terraform leaves the entry of an installed provider as it is when it rewrites the file for the sake of another one,
// even if the configuration has new constraints for it. tofu and the library record those. Nothing else may differ.
func TestStaleConstraintsAreTheOnlyDifference(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := newWorld(t, c, registrytest.Config{Releases: append(releases("acme/rocket", "1.0.0"), releases("acme/sled", "1.0.0")...)})
		theirs, ours := w.module(t, nil), w.module(t, nil)
		for _, main := range []string{requires(rocket), requires(rocket+" ~> 1.0", sled)} {
			theirs.write(t, files{"main.tf": main})
			theirs.run(t, "init")
			ours.write(t, files{"main.tf": main})
			ours.install(t)
		}
		if diff := cmp.Diff(theirs.locks(t), ours.locks(t), cmp.Comparer(installer.Locks.Equal)); diff != "" {
			t.Errorf("the locks differ (-%s +ours):\n%s", c.name, diff)
		}
		unchanged(t, ours, func() { ours.run(t, "init", "-lockfile=readonly") })
	})
}
