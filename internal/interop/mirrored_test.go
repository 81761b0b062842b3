package interop_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// twoToMirror is a module with two providers.
func twoToMirror(t *testing.T, c cli) *module {
	t.Helper()
	w := newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.2.3", Platforms: everywhere},
		{Provider: "hashicorp/alpha", Version: "0.1.0", Platforms: everywhere, Manifest: true},
	}})
	return w.module(t, files{"main.tf": requires(rocket, idnRocket)})
}

// mirroredModule is a module with two providers, and the mirror that the real client made of them.
func mirroredModule(t *testing.T, c cli) (m *module, mirror string) {
	t.Helper()
	m, mirror = twoToMirror(t, c), t.TempDir()
	m.run(t, "providers", "mirror", "-platform="+sources.CurrentPlatform().String(), "-platform=windows_amd64", mirror)
	m.srv.ResetRequests()
	return m, mirror
}

// idnRocket is on a host whose directory in a mirror has another name than it has in a URL.
const idnRocket = "bücher.example.com/hashicorp/alpha"

// configured returns the sources that a configuration file names, go-getter mirrors among them.
func configured(t *testing.T, config string, opts cliconfig.SourceOptions, edits ...func(*gogetter.Mirrors)) sources.Source {
	t.Helper()
	mirrors := new(gogetter.Mirrors)
	for _, edit := range edits {
		edit(mirrors)
	}
	t.Cleanup(func() {
		if err := mirrors.Close(); err != nil {
			t.Error(err)
		}
	})
	parsed, diags := cliconfig.Parse([]byte(config), "terraform.rc", cliconfig.Options{Methods: append(cliconfig.Methods(), mirrors.Method())})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	chain, err := parsed.Source(opts)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// installFrom installs a copy of the module from a source and nothing else, and lets the real client confirm it.
func installFrom(t *testing.T, m *module, source sources.Source) *module {
	t.Helper()
	fresh := m.module(t, files{"main.tf": requires(rocket, idnRocket)})
	init := &client.Init{Dir: fresh.dir, Source: source, Registry: m.cli.registry}
	if _, err := init.Run(t.Context()); err != nil {
		t.Fatalf("our init: %v", err)
	}
	if requests := m.srv.Requests(); len(requests) != 0 {
		t.Errorf("the registry was asked: %s %s", requests[0].Method, requests[0].Path)
	}
	checkPackages(t, fresh, "")
	unchanged(t, fresh, func() {
		withoutDownloads(t, m.world, func() { fresh.run(t, "init") })
	})
	m.srv.ResetRequests()
	return fresh
}

func block(method, arguments string) string {
	return "provider_installation {\n  " + method + " {\n    " + arguments + "\n  }\n}\n"
}

func TestMirrorsOfClientsAreFilesystemMirrors(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m, mirror := mirroredModule(t, c)
		source := configured(t, block("filesystem_mirror", `path = "`+filepath.ToSlash(mirror)+`"`), cliconfig.SourceOptions{})
		installFrom(t, m, source)
	})
}

// publishes is the hashes that the clients put into the mirrors they make.
var publishes = map[string]string{"terraform": "h1", "tofu": "zh"}

// A static file server over the directory is a network mirror, as the clients' documentation says.
func TestMirrorsOfClientsAreNetworkMirrors(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m, mirror := mirroredModule(t, c)
		srv := httptest.NewTLSServer(http.StripPrefix("/providers", http.FileServer(http.Dir(mirror))))
		t.Cleanup(srv.Close)
		for method, argument := range map[string]string{"network_mirror": "url", "go_getter_mirror": "address"} {
			config := block(method, argument+` = "`+srv.URL+`/providers/"`+"\n    trust_all_hashes = true")
			installed := installFrom(t, m, configured(t, config, cliconfig.SourceOptions{Client: srv.Client()}))
			for p, lock := range installed.locks(t) {
				if n := count(lock.Hashes, publishes[c.name]); n != 2 {
					t.Errorf("%s: %s has %d %s hashes, want those of both platforms", method, p, n, publishes[c.name])
				}
			}
		}
	})
}

func count(hashes []hashing.Hash, scheme string) int {
	n := 0
	for _, hash := range hashes {
		if strings.HasPrefix(string(hash), scheme+":") {
			n++
		}
	}
	return n
}

// The mirror of the test registry has the same content, so what the real client makes of it is the same.
func TestMirrorsOfTheTestRegistry(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m, mirror := mirroredModule(t, c)
		theirs := installFrom(t, m, configured(t, block("filesystem_mirror", `path = "`+filepath.ToSlash(mirror)+`"`), cliconfig.SourceOptions{}))
		source := configured(t, block("network_mirror", `url = "`+m.srv.MirrorURL()+`"`), cliconfig.SourceOptions{Client: m.srv.Client()})
		ours := m.module(t, files{"main.tf": requires(rocket, idnRocket)})
		init := &client.Init{Dir: ours.dir, Source: source, Registry: c.registry}
		if _, err := init.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for p, lock := range theirs.locks(t) {
			if got := ours.locks(t)[p]; got.Version != lock.Version || count(got.Hashes, "h1") != 1 {
				t.Errorf("%s: %+v, want %+v and perhaps more", p, got, lock)
			}
		}
		checkPackages(t, ours, "")
	})
}

// copyTree copies a directory.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
