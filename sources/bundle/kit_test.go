package bundle_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

var (
	rocket  = sources.MustParseProvider("registry.example.com/acme/rocket")
	omega   = sources.MustParseProvider("registry.example.com:8443/acme/omega")
	v1      = sources.MustParseVersion("1.0.0")
	v2      = sources.MustParseVersion("2.0.0-beta.1+build.5")
	linux   = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin  = sources.Platform{OS: "darwin", Arch: "arm64"}
	windows = sources.Platform{OS: "windows", Arch: "amd64"}
)

// packed makes the archive of an executable.
func packed(t testing.TB, on sources.Platform, content string) sources.Archive {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	header := &zip.FileHeader{Name: "terraform-provider-rocket_v1.0.0"}
	header.SetMode(0o755)
	entry, err := w.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), on.String()+".zip")
	if err := os.WriteFile(path, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return sources.Archive{Platform: on, Path: path, Sum: hashing.ZH(sha256.Sum256(archive.Bytes()))}
}

func newSigner(t testing.TB) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// released is a version, signed unless signer is nil.
func released(t testing.TB, p sources.Provider, v sources.Version, signer *registrytest.Signer, archives ...sources.Archive) sources.Release {
	t.Helper()
	r := sources.Release{Provider: p, Version: v, Archives: archives}
	if signer == nil {
		return r
	}
	var sums strings.Builder
	for _, a := range archives {
		fmt.Fprintf(&sums, "%s  %s\n", a.Sum.Value(), sources.ArchiveName(p, v, a.Platform))
	}
	sig, err := signer.Sign([]byte(sums.String()))
	if err != nil {
		t.Fatal(err)
	}
	r.Statement = &hashing.Statement{Sums: []byte(sums.String()), Signature: sig, Keys: []string{signer.Armored()}}
	return r
}

// create begins a bundle that is discarded when the test ends.
func create(t testing.TB, path string) *bundle.Writer {
	t.Helper()
	w, err := bundle.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func push(t testing.TB, to sources.Target, r sources.Release) *sources.Pushed {
	t.Helper()
	pushed, err := to.Push(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return pushed
}

func commit(t testing.TB, w *bundle.Writer) {
	t.Helper()
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// bundled makes a bundle of releases and returns its path.
func bundled(t testing.TB, releases ...sources.Release) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "providers.tar")
	w := create(t, path)
	for _, r := range releases {
		push(t, w, r)
	}
	commit(t, w)
	return path
}

func open(t testing.TB, path string) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// opened opens a bundle in memory.
func opened(t testing.TB, data []byte) *bundle.Bundle {
	t.Helper()
	b, err := bundle.OpenReader(bytes.NewReader(data), int64(len(data)), "memory")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// content reads the archive of a package.
func content(t testing.TB, source sources.Source, p sources.Provider, v sources.Version, on sources.Platform) []byte {
	t.Helper()
	pkg, err := source.Package(t.Context(), p, v, on)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// origin is a registry with signed releases of rocket, for linux and darwin.
func origin(t testing.TB, signer *registrytest.Signer, versions ...string) sources.Source {
	t.Helper()
	srv, err := registrytest.Start(registrytest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	for _, v := range versions {
		release := registrytest.Release{Provider: rocket.String(), Version: v, Platforms: []string{"linux_amd64", "darwin_arm64"}, Signer: signer}
		if err := srv.Add(release); err != nil {
			t.Fatal(err)
		}
	}
	return direct.New(direct.Config{
		Client:   srv.Client(),
		Services: map[sources.Host]map[string]string{rocket.Host(): srv.HostServices("registry.example.com")},
	})
}

// transfer takes packages of a version from a source to a target, each verified on the way.
func transfer(t testing.TB, from sources.Source, policy installer.Policy, to sources.Target, v sources.Version, platforms ...sources.Platform) *sources.Pushed {
	t.Helper()
	in := &installer.Installer{Source: from, Dir: t.TempDir(), Policy: policy}
	r := sources.Release{Provider: rocket, Version: v}
	for _, on := range platforms {
		a, err := in.Fetch(t.Context(), rocket, v, on, filepath.Join(t.TempDir(), "package.zip"))
		if err != nil {
			t.Fatal(err)
		}
		r.Archives, r.Statement = append(r.Archives, a.Publishable()), a.Statement
	}
	return push(t, to, r)
}

// exampleBundle makes a bundle, and returns its path and the fingerprint of the key that has signed what is in it.
func exampleBundle(dir string) (path, fingerprint string) {
	t := &exampleTB{dir: dir}
	signer := newSigner(t)
	path = filepath.Join(dir, "providers.tar")
	w := create(t, path)
	push(t, w, released(t, rocket, v1, signer, packed(t, linux, "linux")))
	commit(t, w)
	return path, signer.Fingerprint()
}

// exampleTB is what helpers want of a test, for an example.
type exampleTB struct {
	testing.TB
	dir string
}

func (t *exampleTB) Helper()                  {}
func (t *exampleTB) Cleanup(func())           {}
func (t *exampleTB) TempDir() string          { return t.dir }
func (t *exampleTB) Context() context.Context { return context.Background() }
func (t *exampleTB) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }
