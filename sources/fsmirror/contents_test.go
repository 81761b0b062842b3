package fsmirror_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// Contents are what Remove removes, and nothing else.
func TestContents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	push(t, dir, release(packed(t, windows, "a"), packed(t, here, "b")))
	idn := release(packed(t, windows, "a"))
	idn.Provider, idn.Version = sources.MustParseProvider("bücher.example.com:8443/acme/rocket"), sources.MustParseVersion("2.0.0-rc1+x")
	push(t, dir, idn)
	for _, name := range []string{ // none of these is in the place that a target gives it
		filepath.Join(home, "terraform-provider-rocket_1.0_plan9_386.zip"),
		filepath.Join(home, "Terraform-Provider-Rocket_1.0.0_plan9_386.ZIP"),
		filepath.Join(home, "terraform-provider-anvil_1.0.0_plan9_386.zip"),
		filepath.Join(home, "1.0.0", "plan9_386", "terraform-provider-rocket"),
		filepath.Join("bücher.example.com", "acme", "rocket", "terraform-provider-rocket_1.0.0_plan9_386.zip"),
		filepath.Join("registry.example.com", "ACME", "rocket", "terraform-provider-rocket_1.0.0_plan9_386.zip"),
		filepath.Join("registry.example.com", "acme", "terraform-provider-rocket_1.0.0_plan9_386.zip"),
		filepath.Join("no host!", "acme", "rocket", "terraform-provider-rocket_1.0.0_plan9_386.zip"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, dir)

	target := fsmirror.NewTarget(dir)
	contents, err := target.Contents(t.Context())
	if err != nil || len(contents) != 2 {
		t.Fatalf("the contents are %v, %v", contents, err)
	}
	for p, want := range map[sources.Provider]sources.Available{
		rocket:       {Version: v1, Platforms: []sources.Platform{here, windows}},
		idn.Provider: {Version: idn.Version, Platforms: []sources.Platform{windows}},
	} {
		got := contents[p]
		if len(got) != 1 || got[0].Version != want.Version || !slices.Equal(got[0].Platforms, want.Platforms) {
			t.Errorf("of %s there are %v, want %v", p, got, want)
		}
		if err := target.Remove(t.Context(), p, got[0].Version, got[0].Platforms); err != nil {
			t.Error(err)
		}
	}
	if contents, err = target.Contents(t.Context()); err != nil || len(contents) != 0 {
		t.Errorf("the contents are %v, %v", contents, err)
	}
	if after := files(t, dir); len(after) < 8 || len(after) >= len(before) {
		t.Errorf("%d of %d files are left", len(after), len(before))
	}
}

func TestContentsOfNothing(t *testing.T) {
	t.Parallel()
	contents, err := fsmirror.NewTarget(filepath.Join(t.TempDir(), "absent")).Contents(t.Context())
	if err != nil || len(contents) != 0 {
		t.Errorf("the contents are %v, %v", contents, err)
	}
}

// What nobody asks for need not be readable.
func TestContentsBesideOtherThings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	push(t, dir, release(packed(t, here, "b")))
	for _, name := range []string{"lost+found", filepath.Join("registry.example.com", "@eaDir"), filepath.Join("registry.example.com", "acme", "not a type")} {
		if err := os.Symlink(filepath.Base(name), filepath.Join(dir, name)); err != nil { // nobody can read this
			t.Skip(err)
		}
	}
	contents, err := fsmirror.NewTarget(dir).Contents(t.Context())
	if err != nil || len(contents) != 1 {
		t.Errorf("the contents are %v, %v", contents, err)
	}
}

// Packages that have a second address by a link are not removed under either.
func TestRemoveWithLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	push(t, dir, release(packed(t, here, "b")))
	if err := os.Symlink("registry.example.com", filepath.Join(dir, "alias.example.com")); err != nil {
		t.Skip(err)
	}
	alias := sources.MustParseProvider("alias.example.com/" + rocket.Namespace() + "/" + rocket.Type())
	target, before := fsmirror.NewTarget(dir), files(t, filepath.Join(dir, home))
	for p, other := range map[sources.Provider]sources.Provider{rocket: alias, alias: rocket} {
		err := target.Remove(t.Context(), p, v1, []sources.Platform{here})
		var shared *fsmirror.SharedError
		if !errors.As(err, &shared) || shared.Other != other {
			t.Errorf("%s: %v", p, err)
		}
	}
	if diff := cmp.Diff(before, files(t, filepath.Join(dir, home))); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
	if err := os.Remove(filepath.Join(dir, "alias.example.com")); err != nil {
		t.Fatal(err)
	}
	if err := target.Remove(t.Context(), rocket, v1, []sources.Platform{here}); err != nil {
		t.Error(err)
	}
}
