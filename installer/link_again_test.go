package installer_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
)

// A link that leads nowhere is left of a cache that has moved, or was cleared: nothing is damaged.
func TestLinksToNowhereAreNoDamage(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(f *fixture, stored string) error{
		"moved":   func(f *fixture, _ string) error { return os.RemoveAll(f.in.CacheDir) },
		"cleared": func(_ *fixture, stored string) error { return os.RemoveAll(stored) },
	} {
		for _, link := range []installer.Link{installer.LinkAuto, installer.LinkSymlink} {
			f, req, pkg := installed(t)
			f.in.Link = link
			if err := lose(f, pkg.Stored); err != nil {
				t.Fatal(err)
			}
			if name == "moved" {
				f.in.CacheDir = t.TempDir()
			}
			again := f.install(req).Packages[0]
			f.wantKinds(chose(installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventInstalled)...)
			if _, err := os.Stat(again.Executable); err != nil {
				t.Errorf("%s, %s: %v", name, link, err)
			}
		}
	}
}

// A link to something else is damage.
func TestLinksToSomethingElseAreDamage(t *testing.T) {
	t.Parallel()
	f, req, pkg := installed(t)
	if err := errors.Join(os.Remove(pkg.Dir), os.Symlink(t.TempDir(), pkg.Dir)); err != nil {
		t.Fatal(err)
	}
	f.install(req)
	f.wantKinds(chose(installer.EventCacheHit, installer.EventHealed, installer.EventInstalled)...)
}

// A copy that nothing proves is compared, and not made again if it is right.
func TestCopiesThatAreRightStay(t *testing.T) {
	t.Parallel()
	for _, link := range []installer.Link{installer.LinkCopy, installer.LinkReflink} {
		f, _, _ := installed(t)
		f.in.Dir, f.in.Link = t.TempDir(), link
		req := require("acme/alpha", "")
		before := identity(t, f.install(req).Packages[0].Executable)
		pkg := f.install(req).Packages[0]
		if !os.SameFile(before, identity(t, pkg.Executable)) {
			t.Errorf("%s: the package was copied again", link)
		}
		if err := os.WriteFile(pkg.Executable, []byte("evil"), 0o755); err != nil {
			t.Fatal(err)
		}
		f.install(req)
		if identity(t, pkg.Executable).Size() != before.Size() {
			t.Errorf("%s: the damaged copy is still there", link)
		}
	}
}

// Whoever asks for copies does not want the cache's own files, though their contents are right.
func TestHardLinksAreNoCopies(t *testing.T) {
	t.Parallel()
	f, _, pkg := installed(t)
	f.in.Dir, f.in.Link = t.TempDir(), installer.LinkHardlink
	req := require("acme/alpha", "")
	f.install(req)
	f.in.Link = installer.LinkCopy
	own := f.install(req).Packages[0]
	original := identity(t, filepath.Join(pkg.Stored, filepath.Base(pkg.Executable)))
	if os.SameFile(original, identity(t, own.Executable)) {
		t.Error("the executable is the cache's")
	}
}

func identity(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
