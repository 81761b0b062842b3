package bundle_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// symlink makes a symbolic link, where that is possible.
func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

func TestPlacesWhereNoBundleCanBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]error{
		"":                                fs.ErrNotExist,
		filepath.Join(dir, "none", "tar"): fs.ErrNotExist,
	} {
		w, err := bundle.Create(path)
		if err == nil {
			_ = w.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if w, err := bundle.Create(dir); err == nil {
		t.Error("a bundle can be a directory", w.Close())
	}
	if names := list(t, dir); len(names) != 0 {
		t.Errorf("there is %q", names)
	}
}

// A link to a directory is followed, and one to a bundle is replaced.
func TestLinksOnTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, kept := filepath.Join(dir, "real"), filepath.Join(dir, "kept.tar")
	if err := errors.Join(os.Mkdir(real, 0o755), os.WriteFile(kept, []byte("kept"), 0o600)); err != nil {
		t.Fatal(err)
	}
	symlink(t, real, filepath.Join(dir, "link"))
	symlink(t, kept, filepath.Join(real, "providers.tar"))
	w := create(t, filepath.Join(dir, "link", "providers.tar"))
	push(t, w, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	commit(t, w)
	open(t, filepath.Join(real, "providers.tar"))
	if names := list(t, real); !slices.Equal(names, []string{"providers.tar"}) || string(readFile(t, kept)) != "kept" {
		t.Errorf("there is %q", names)
	}
}

// Whoever reads a bundle that is replaced goes on reading the old one.
func TestReplacedWhileItIsRead(t *testing.T) {
	t.Parallel()
	archive := packed(t, linux, "old")
	path := bundled(t, released(t, rocket, v1, nil, archive))
	b := open(t, path)
	w := create(t, path)
	push(t, w, released(t, rocket, v1, nil, packed(t, linux, "new")))
	if err := w.Commit(t.Context()); errors.Is(err, fs.ErrPermission) {
		t.Skip(err) // Windows
	} else if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(content(t, b, rocket, v1, linux), readFile(t, archive.Path)) {
		t.Error("the old bundle has another package")
	}
	if _, err := b.Verify(t.Context(), bundle.VerifyOptions{}); err != nil {
		t.Error(err)
	}
	if bytes.Equal(content(t, open(t, path), rocket, v1, linux), readFile(t, archive.Path)) {
		t.Error("the new bundle has the old package")
	}
}

// What was left behind, as it seems, is no way to make files elsewhere.
func TestTrapsAmongScratches(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "made")
	trap := filepath.Join(dir, ".providers.tar.purveyor-1")
	if err := os.Mkdir(trap, 0o755); err != nil {
		t.Fatal(err)
	}
	symlink(t, elsewhere, filepath.Join(trap, "lock"))
	create(t, filepath.Join(dir, "providers.tar"))
	if _, err := os.Lstat(elsewhere); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// Registries have no name for some providers, so that these are not in a bundle, which is no failure.
func TestProvidersThatNoBundleHas(t *testing.T) {
	t.Parallel()
	b := opened(t, small(t))
	w := create(t, filepath.Join(t.TempDir(), "providers.tar"))
	for _, address := range []string{"registry.example.com./acme/rocket", "registry.example.com.:8443/acme/rocket", "registry.example.com/bücher/rocket"} {
		p := sources.MustParseProvider(address)
		_, listing := b.Versions(t.Context(), p)
		_, describing := b.Package(t.Context(), p, v1, linux)
		if !errors.Is(listing, sources.ErrNotFound) || !errors.Is(describing, sources.ErrNotFound) {
			t.Errorf("%s: %v; %v", p, listing, describing)
		}
		var wrong *sources.ReleaseError
		if _, err := w.Push(t.Context(), released(t, p, v1, nil, packed(t, linux, "linux"))); !errors.As(err, &wrong) || wrong.Field != "Provider" {
			t.Errorf("%s: %v", p, err)
		}
	}
}
