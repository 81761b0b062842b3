package fsmirror_test

import (
	"context"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// clients are the real ones that are on PATH.
func clients(t *testing.T) map[string]string {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("SSL_CERT_FILE does not work here")
	}
	found := make(map[string]string)
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			found[name] = path
		}
	}
	if len(found) == 0 {
		t.Skip("neither terraform nor tofu is on PATH to be the judge")
	}
	return found
}

// runIn runs a client in a new module that requires rocket, and returns the module's directory.
func runIn(t *testing.T, program string, environ []string, args ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	module := `terraform {
  required_providers {
    rocket = {
      source = "` + rocket.String() + `"
    }
  }
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return dir
}

// origin is a registry that has rocket 1.0.0 for this machine, and for windows.
func origin(t *testing.T) *registrytest.Server {
	t.Helper()
	return registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: rocket.String(), Version: "1.0.0", Platforms: []string{here.String(), elsewhere.String()}, Manifest: true},
	}})
}

var (
	here      = sources.CurrentPlatform()
	elsewhere = sources.Platform{OS: "plan9", Arch: "mips"}
)

// fetched is the release of an origin, verified.
func fetched(t *testing.T, srv *registrytest.Server) sources.Release {
	t.Helper()
	source := direct.New(direct.Config{
		Client:   srv.Client(),
		Services: map[sources.Host]map[string]string{rocket.Host(): srv.HostServices(rocket.Host().String())},
	})
	in := &installer.Installer{Source: source, Dir: t.TempDir()}
	r, scratch := release(), t.TempDir()
	for _, on := range []sources.Platform{here, elsewhere} {
		a, err := in.Fetch(t.Context(), rocket, v1, on, filepath.Join(scratch, on.String()))
		if err != nil {
			t.Fatal(err)
		}
		computed := a.Proof.Computed
		r.Archives = append(r.Archives, sources.Archive{Platform: on, Path: a.Path, Sum: computed.Archive, H1: computed.Entries})
		r.Statement = a.Statement
	}
	return r
}

func TestRealClientsInstallFromADirectory(t *testing.T) {
	t.Parallel()
	for name, program := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, srv := t.TempDir(), origin(t)
			push(t, dir, fetched(t, srv))
			config := srv.InstallationConfig(registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: dir})
			checkInstalled(t, runIn(t, program, environ(t, srv, config), "init", "-input=false"))
		})
	}
}

func environ(t *testing.T, srv *registrytest.Server, config string) []string {
	t.Helper()
	environ, err := srv.EnvironConfig(t.TempDir(), config)
	if err != nil {
		t.Fatal(err)
	}
	return environ
}

func checkInstalled(t *testing.T, module string) {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(module, ".terraform.lock.hcl"))
	if err != nil || !strings.Contains(string(lock), `version = "1.0.0"`) {
		t.Errorf("the lock file is %s, %v", lock, err)
	}
}

// A plain file server over the directory is a network mirror, and the member with the statement is in nobody's way.
func TestRealClientsInstallFromAFileServer(t *testing.T) {
	t.Parallel()
	for name, program := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, srv := t.TempDir(), origin(t)
			push(t, dir, fetched(t, srv))
			if document(t, dir, "1.0.0.json")["origin_statement"] == nil {
				t.Fatal("there is no statement to be in the way")
			}
			static := httptest.NewTLSServer(http.FileServer(http.Dir(dir)))
			t.Cleanup(static.Close)
			config := srv.InstallationConfig(registrytest.Method{Type: registrytest.MethodNetworkMirror, URL: static.URL + "/"})
			trusted := filepath.Join(t.TempDir(), "ca.pem")
			block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: static.Certificate().Raw})
			if err := os.WriteFile(trusted, block, 0o600); err != nil {
				t.Fatal(err)
			}
			environ := append(environ(t, srv, config), "SSL_CERT_FILE="+trusted)
			checkInstalled(t, runIn(t, program, environ, "init", "-input=false"))
		})
	}
}

// mirrorWith lets a client make a mirror of the origin.
func mirrorWith(t *testing.T, program string, srv *registrytest.Server, dir string) {
	t.Helper()
	runIn(t, program, environ(t, srv, srv.CLIConfig()), "providers", "mirror", "-platform="+here.String(), "-platform="+elsewhere.String(), dir)
}

// additions is what documents have that the clients' do not.
var additions = regexp.MustCompile(`,\n *"zh:[0-9a-f]+"|,\n  "origin_statement": \{[^}]*\}`)

func TestTheMirrorIsTerraforms(t *testing.T) {
	t.Parallel()
	program, ok := clients(t)["terraform"] // tofu's has zh hashes, too
	if !ok {
		t.Skip("terraform is not on PATH")
	}
	srv := origin(t)
	r := fetched(t, srv)
	theirs, ours := t.TempDir(), t.TempDir()
	mirrorWith(t, program, srv, theirs)
	push(t, ours, r)
	want, got := files(t, theirs), files(t, ours)
	if len(want) != 4 {
		t.Fatalf("terraform's mirror has %d files", len(want))
	}
	for name, content := range want {
		ourContent := got[name]
		if strings.HasSuffix(name, ".json") {
			ourContent = additions.ReplaceAllString(ourContent, "")
		}
		if diff := cmp.Diff(content, ourContent); diff != "" {
			t.Errorf("%s (-terraform, +ours): %s", name, diff)
		}
	}
	if diff := cmp.Diff(keys(want), withoutStatements(keys(got))); diff != "" {
		t.Errorf("files (-terraform, +ours): %s", diff)
	}

	// What terraform has made can be published into, and becomes the same.
	if pushed := push(t, theirs, r); len(pushed.Present) != 2 || pushed.Uploaded.Bytes != 0 {
		t.Errorf("pushed is %+v", pushed)
	}
	if diff := cmp.Diff(got, files(t, theirs)); diff != "" {
		t.Errorf("the mirrors differ: %s", diff)
	}
}

func keys(m map[string]string) map[string]bool {
	found := make(map[string]bool)
	for name := range maps.Keys(m) {
		found[name] = true
	}
	return found
}

func withoutStatements(names map[string]bool) map[string]bool {
	maps.DeleteFunc(names, func(name string, _ bool) bool { return strings.Contains(name, "SHA256SUMS") })
	return names
}

// The real client writes its documents into the same directory, without the member, and leaves the statement alone.
func TestRealClientsMirrorIntoTheDirectory(t *testing.T) {
	t.Parallel()
	for name, program := range clients(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, srv := t.TempDir(), origin(t)
			r := fetched(t, srv)
			push(t, dir, r)
			want := files(t, dir)
			mirrorWith(t, program, srv, dir)
			if document(t, dir, "1.0.0.json")["origin_statement"] != nil {
				t.Error("the client has kept the member; say so")
			}
			pkg, err := fsmirror.New(dir).Package(t.Context(), rocket, v1, here)
			if err != nil || pkg.Claims == nil {
				t.Fatalf("the package has no claims: %v", err)
			}
			if claims, err := pkg.Claims(t.Context()); err != nil || claims.Signer == nil {
				t.Errorf("claims are %+v, %v", claims, err)
			}
			r.Statement = nil
			for i := range r.Archives {
				r.Archives[i].Path = ""
			}
			push(t, dir, r)
			if diff := cmp.Diff(want, files(t, dir)); diff != "" {
				t.Errorf("the mirror is not as it was: %s", diff)
			}
		})
	}
}
