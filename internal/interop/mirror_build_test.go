package interop_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// mirrored are the platforms of the mirrors here: the current one, and three others.
func mirrored(t *testing.T) []sources.Platform {
	t.Helper()
	platforms := []sources.Platform{sources.CurrentPlatform()}
	for _, text := range everywhere {
		on, err := sources.ParsePlatform(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(platforms) < 4 && !slices.Contains(platforms, on) {
			platforms = append(platforms, on)
		}
	}
	return platforms
}

// buildMirror fills a directory with what modules need.
func (w *world) buildMirror(t *testing.T, dir string, modules ...*module) {
	t.Helper()
	var dirs []string
	for _, m := range modules {
		dirs = append(dirs, m.dir)
	}
	plan, err := mirror.ForModules(required.Options{Registry: w.cli.registry}, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	plan.Platforms = mirrored(t)
	b := &mirror.Builder{Installer: &installer.Installer{Source: w.source()}, Target: fsmirror.NewTarget(dir)}
	if _, err := b.Build(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
}

// fromDirectory makes a module's client install from a directory and nothing else.
func (m *module) fromDirectory(t *testing.T, dir string) {
	t.Helper()
	m.from(t, registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: dir})
}

// fromFileServer makes it install from a plain file server over the directory.
func (m *module) fromFileServer(t *testing.T, dir string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	m.from(t, registrytest.Method{Type: registrytest.MethodNetworkMirror, URL: srv.URL + "/"})
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	trusted := t.TempDir()
	(&module{dir: trusted}).write(t, files{"ca.pem": string(block)})
	m.env = append(m.env, "SSL_CERT_FILE="+filepath.Join(trusted, "ca.pem"))
}

// from gives the module a world of its own with this method of installation.
func (m *module) from(t *testing.T, method registrytest.Method) {
	t.Helper()
	env, err := m.srv.EnvironConfig(t.TempDir(), m.srv.InstallationConfig(method))
	if err != nil {
		t.Fatal(err)
	}
	own := *m.world
	own.env = append(slices.Clone(m.env), env...)
	m.world = &own
}

// ways are the ways to install from a directory.
var ways = map[string]func(*module, *testing.T, string){"directory": (*module).fromDirectory, "file server": (*module).fromFileServer}

// Real clients install from a mirror that was built, with a lock file for four platforms that was made from that mirror, and
// have nothing to change in it.
func TestBuiltMirrors(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := twoToMirror(t, c).world
		main := files{"main.tf": requires(rocket, idnRocket)}
		dir := t.TempDir()
		w.buildMirror(t, dir, w.module(t, files{"main.tf": requires(rocket)}), w.module(t, files{"main.tf": requires(idnRocket)}))
		w.srv.ResetRequests()
		locker := &installer.Installer{Source: fsmirror.New(dir)}
		idn := sources.MustParseProvider(idnRocket)
		req := installer.Request{Requirements: installer.Requirements{sources.MustParseProvider(rocket): {}, idn: {}}}
		locks, err := locker.Lock(t.Context(), req, mirrored(t))
		if err != nil {
			t.Fatal(err)
		}
		for name, way := range ways {
			m, wanted := w.module(t, main), locks.Clone()
			if name == "directory" { // where the clients do not look for hosts under their ASCII names
				m = w.module(t, files{"main.tf": requires(rocket)})
				delete(wanted, idn)
			}
			if err := lockfile.Write(m.lockFile(), wanted); err != nil {
				t.Fatal(err)
			}
			way(m, t, dir)
			unchanged(t, m, func() { m.run(t, "init", "-lockfile=readonly") })
			for p, lock := range wanted {
				checkInstalledFrom(t, m, dir, p, lock.Version)
			}
		}
		if requests := w.srv.Requests(); len(requests) != 0 {
			t.Errorf("the registry was asked: %s %s", requests[0].Method, requests[0].Path)
		}
	})
}

// checkInstalledFrom checks that a module has the package of a mirror: its lock file need not have the hash of the contents.
func checkInstalledFrom(t *testing.T, m *module, dir string, p sources.Provider, v sources.Version) {
	t.Helper()
	on := sources.CurrentPlatform()
	in := &installer.Installer{Source: fsmirror.New(dir)}
	archive, err := in.Fetch(t.Context(), p, v, on, filepath.Join(t.TempDir(), "archive.zip"))
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(m.dir, ".terraform", "providers", filepath.FromSlash(sources.PackagePath(p, v, on)))
	tree, err := hashing.Dir(t.Context(), place)
	if err != nil || tree != archive.Proof.Computed.Tree {
		t.Errorf("%s has %s (%v), and the mirror %s", place, tree, err, archive.Proof.Computed.Tree)
	}
}

// A directory that the real client and we fill by turns is right for every version afterwards.
func TestMirrorsFilledByTurns(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := newWorld(t, c, registrytest.Config{})
		dir := t.TempDir()
		versions := []string{"1.0.0", "1.1.0", "1.2.0", "1.10.0"}
		var modules []*module
		for i, v := range versions {
			w.add(t, registrytest.Release{Provider: "acme/rocket", Version: v, Platforms: everywhere})
			m := w.module(t, files{"main.tf": requires(rocket + " " + v)})
			modules = append(modules, m)
			if i%2 == 0 {
				args := []string{"providers", "mirror"}
				for _, on := range mirrored(t) {
					args = append(args, "-platform="+on.String())
				}
				m.run(t, append(args, dir)...)
			} else {
				w.buildMirror(t, dir, m)
			}
		}
		w.buildMirror(t, dir, modules...)
		for _, v := range versions {
			for _, way := range ways {
				m := w.module(t, files{"main.tf": requires(rocket + " " + v)})
				way(m, t, dir)
				m.run(t, "init")
				checkPackages(t, m, "")
				if got := m.locks(t)[sources.MustParseProvider(rocket)].Version.String(); got != v {
					t.Errorf("version %s is locked, want %s", got, v)
				}
			}
		}
	})
}
