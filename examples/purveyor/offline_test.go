package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// fresh is a new checkout: nothing is installed, the lock file is there.
func (w *world) fresh(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, ".terraform")); err != nil {
		t.Fatal(err)
	}
	w.srv.ResetRequests()
}

func TestLockAndCacheAreEnough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.cache(t)
	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	w.must(t, "install")
	for _, args := range [][]string{{"install"}, {"install", "-offline"}, {"install", "-offline", "-lockfile=readonly"}} {
		w.fresh(t)
		o := w.must(t, args...)
		if n := w.srv.Count(""); n != 0 || strings.Count(o.out, "installed from the cache, as locked") != 2 {
			t.Errorf("%v: %d requests\n%s", args, n, o.out)
		}
	}
}

func TestOfflineNamesTheSourceThatIsNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	for name, tt := range map[string]struct {
		methods []registrytest.Method
		args    []string
		says    []string
	}{
		"the registry": {
			[]registrytest.Method{{}}, []string{"install"},
			[]string{"the origin registry: not asked, because of -offline"},
		},
		"a mirror, for an address": {
			[]registrytest.Method{{Type: registrytest.MethodNetworkMirror}}, []string{"install", rocket},
			[]string{"network mirror " + w.srv.MirrorURL() + ": not asked", "acme/rocket"},
		},
		"both": {
			[]registrytest.Method{{Type: registrytest.MethodNetworkMirror}, {}}, []string{"lock"},
			[]string{"this would be asked: network mirror " + w.srv.MirrorURL() + ", the origin registry."},
		},
		"one that the provider is not excluded from": {
			[]registrytest.Method{{Type: registrytest.MethodNetworkMirror, Exclude: []string{"registry.example.com/*/*"}}, {}}, []string{"versions", rocket},
			[]string{"this would be asked: the origin registry."},
		},
		"explain": {
			[]registrytest.Method{{}}, []string{"explain", rocket},
			[]string{"not asked, because of -offline"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here := *w
			here.through(t, tt.methods...)
			here.fails(t, append([]string{tt.args[0], "-offline"}, tt.args[1:]...), exitFailed, tt.says...)
			if n := w.srv.Count(""); n != 0 {
				t.Errorf("there were %d requests", n)
			}
		})
	}
}

// TestOfflineKeepsFilesystemMirrors: they need no network, whatever else is configured for other providers.
func TestOfflineKeepsFilesystemMirrors(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string]registrytest.Layout{"packed": registrytest.Packed, "unpacked": registrytest.Unpacked} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "registry.example.com/acme/rocket", Version: "1.4.0"}}})
			mirror := t.TempDir()
			if err := w.srv.WriteMirror(mirror, layout); err != nil {
				t.Fatal(err)
			}
			w.through(t,
				registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: mirror},
				registrytest.Method{Exclude: []string{"registry.example.com/*/*"}})
			w.write(t, "main.tf", requires(rocket))
			if o := w.must(t, "install", "-offline"); !strings.Contains(o.out, "1.4.0: installed") || w.srv.Count("") != 0 {
				t.Errorf("%d requests\n%s", w.srv.Count(""), o.out)
			}
		})
	}
}

// TestOfflineDoesNotSelectSomethingElse: a registry could have a newer version than the mirror.
func TestOfflineDoesNotSelectSomethingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	mirror := t.TempDir()
	if err := w.srv.WriteMirror(mirror, registrytest.Packed, "acme/rocket"); err != nil {
		t.Fatal(err)
	}
	w.through(t, registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: mirror}, registrytest.Method{})
	w.fails(t, []string{"install", "-offline", rocket}, exitFailed, "the origin registry: not asked")
}

func TestOfflineIsNotAbsence(t *testing.T) {
	t.Parallel()
	source := offline{name: "x"}
	_, err := source.Versions(t.Context(), sources.MustParseProvider("a/b"))
	if !errors.Is(err, errOffline) || errors.Is(err, sources.ErrNotFound) || errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
	_, err = source.Package(t.Context(), sources.MustParseProvider("a/b"), sources.Version{}, sources.CurrentPlatform())
	if !errors.Is(err, errOffline) || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
}
