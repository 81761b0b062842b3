package fsmirror_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

var (
	windows = sources.Platform{OS: "windows", Arch: "amd64"}
	v1      = sources.MustParseVersion("1.0.0")
	home    = filepath.Join("registry.example.com", "acme", "rocket")
)

// packed makes the archive of an executable.
func packed(t *testing.T, on sources.Platform, content string) sources.Archive {
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
	return packedBytes(t, on, archive.Bytes())
}

func packedBytes(t *testing.T, on sources.Platform, archive []byte) sources.Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), on.String()+".zip")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	return sources.Archive{Platform: on, Path: path, Sum: hashing.ZH(sha256.Sum256(archive))}
}

// release is version 1.0.0 of rocket.
func release(archives ...sources.Archive) sources.Release {
	return sources.Release{Provider: rocket, Version: v1, Archives: archives}
}

// signedBy adds the statement of an origin about the release's archives.
func signedBy(t *testing.T, signer *registrytest.Signer, r sources.Release) sources.Release {
	t.Helper()
	r.Statement = attest(t, signer, r.Archives...)
	return r
}

// attest signs the sums of archives, as an origin does.
func attest(t *testing.T, signer *registrytest.Signer, archives ...sources.Archive) *hashing.Statement {
	t.Helper()
	var sums strings.Builder
	for _, a := range archives {
		fmt.Fprintf(&sums, "%s  %s\n", a.Sum.Value(), sources.ArchiveName(rocket, v1, a.Platform))
	}
	return attestText(t, signer, sums.String())
}

// attestText signs what may be no sums at all.
func attestText(t *testing.T, signer *registrytest.Signer, text string) *hashing.Statement {
	t.Helper()
	sig, err := signer.Sign([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &hashing.Statement{Sums: []byte(text), Signature: sig, Keys: []string{signer.Armored()}}
}

func newSigner(t *testing.T) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// push publishes with a new target, as another process would.
func push(t *testing.T, dir string, r sources.Release) *sources.Pushed {
	t.Helper()
	pushed, err := fsmirror.NewTarget(dir).Push(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return pushed
}

// files returns the contents of all files below a directory, without the lock.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == ".purveyor.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// times returns when the files below a directory were last modified.
func times(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	found := make(map[string]time.Time)
	for name := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		found[name] = info.ModTime()
	}
	return found
}

// age makes all files old, so that what is written shows.
func age(t *testing.T, dir string) {
	t.Helper()
	long := time.Now().Add(-time.Hour)
	for name := range files(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), long, long); err != nil {
			t.Fatal(err)
		}
	}
}

// put writes a file of rocket's.
func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// document reads one of rocket's JSON documents.
func document(t *testing.T, dir, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, home, name))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// served is the network mirror that a plain file server makes of a directory.
func served(t *testing.T, dir string) *netmirror.Source {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that nobody needs any more
	srv.StartTLS()
	t.Cleanup(srv.Close)
	source, err := netmirror.New(netmirror.Config{URL: srv.URL + "/", Client: srv.Client(), Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// claims asks who vouches for a package of rocket 1.0.0.
func claims(t *testing.T, source sources.Source, on sources.Platform) (hashing.Claims, error) {
	t.Helper()
	pkg, err := source.Package(t.Context(), rocket, v1, on)
	if err != nil {
		t.Fatal(err)
	}
	if pkg.Claims == nil {
		return hashing.Claims{}, nil
	}
	return pkg.Claims(t.Context())
}

// wantSigned makes sure that both kinds of mirrors vouch for packages in the name of a signer.
func wantSigned(t *testing.T, dir string, signer *registrytest.Signer, archives ...sources.Archive) {
	t.Helper()
	for _, source := range []sources.Source{fsmirror.New(dir), served(t, dir)} {
		for _, a := range archives {
			got, err := claims(t, source, a.Platform)
			if err != nil || got.Signer == nil || got.Signer.Fingerprint != signer.Fingerprint() || !got.Signer.Carried {
				t.Errorf("%s: %s is not signed: %+v, %v", source, a.Platform, got, err)
				continue
			}
			proof, err := hashing.Judge(hashing.Computed{Archive: a.Sum}, nil, got)
			if err != nil || proof.Authority != hashing.Signed {
				t.Errorf("%s: %s is proven by %+v, %v", source, a.Platform, proof, err)
			}
		}
	}
}

// h1 is computed by the reference implementation.
func h1(t *testing.T, path string) string {
	t.Helper()
	hash, err := dirhash.HashZip(path, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// sum is the SHA-256 of a text, in hexadecimal.
func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
