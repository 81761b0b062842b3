package registrytest_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// thisPlatform is this machine's, as the end of a metadata path.
func thisPlatform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// unpack returns the names and modes of an archive's files, and their contents.
func unpack(t *testing.T, archive []byte) (map[string]string, map[string]fs.FileMode) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	contents, modes := map[string]string{}, map[string]fs.FileMode{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		contents[f.Name], modes[f.Name] = string(data), f.Mode()
	}
	return contents, modes
}

// packageOf returns a release's metadata and archive for linux_amd64.
func packageOf(t *testing.T, s *registrytest.Server) (packageDoc, []byte) {
	t.Helper()
	doc := decode[packageDoc](t, good(t, s.Client(), s.URL()+alphaPackage).body)
	return doc, good(t, s.Client(), doc.DownloadURL).body
}

func serveAlpha(t *testing.T, change func(*registrytest.Release)) *registrytest.Server {
	t.Helper()
	r := alpha
	change(&r)
	return registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{r}, Dir: t.TempDir()})
}

func TestDefaultPackage(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(*registrytest.Release) {})
	doc, archive := packageOf(t, s)
	if doc.OS != "linux" || doc.Arch != "amd64" || doc.Filename != "terraform-provider-alpha_1.0.0_linux_amd64.zip" {
		t.Errorf("metadata: %+v", doc)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(archive)); doc.Shasum != want {
		t.Errorf("shasum is %s, want %s", doc.Shasum, want)
	}
	contents, modes := unpack(t, archive)
	const executable = "terraform-provider-alpha_v1.0.0"
	if len(contents) != 2 || contents["LICENSE"] == "" || !strings.HasPrefix(contents[executable], "#!/bin/sh\n") {
		t.Errorf("the archive has %d files", len(contents))
	}
	if modes[executable] != 0o755 || modes["LICENSE"] != 0o644 {
		t.Errorf("modes: %v", modes)
	}
	z, _ := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if z.File[0].Flags&8 == 0 {
		t.Error("there is no data descriptor")
	}
}

func TestArchivesAreDeterministicAndDistinct(t *testing.T) {
	t.Parallel()
	sizes := map[string]func(*registrytest.Release){
		"small": func(*registrytest.Release) {},
		"large": func(r *registrytest.Release) { r.Size = 1 << 20 },
	}
	for name, change := range sizes {
		one, two := serveAlpha(t, change), serveAlpha(t, change)
		first, _ := packageOf(t, one)
		again, _ := packageOf(t, two)
		if first.Shasum != again.Shasum {
			t.Errorf("%s: the same release has two archives", name)
		}
		other := decode[packageDoc](t, good(t, one.Client(), one.URL()+"/v1/providers/acme/alpha/1.0.0/download/windows/arm64").body)
		if first.Shasum == other.Shasum {
			t.Errorf("%s: two platforms have the same archive", name)
		}
	}
}

func TestSizeIsServedFromDisk(t *testing.T) {
	t.Parallel()
	const size = 3<<20 + 17
	dir := t.TempDir()
	r := alpha
	r.Size, r.Packages = size, true
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{r}, Dir: dir})
	_, archive := packageOf(t, s)
	contents, modes := unpack(t, archive)
	const executable = "terraform-provider-alpha_v1.0.0"
	if got := len(contents[executable]); got != size || modes[executable] != 0o755 {
		t.Errorf("the executable has %d bytes, mode %v", got, modes[executable])
	}
	if ratio := float64(len(archive)) / size; ratio < 0.25 || ratio > 0.35 {
		t.Errorf("it compresses to %.2f of its size", ratio)
	}
	part := get(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=-100")
	if !bytes.Equal(part.body, archive[len(archive)-100:]) {
		t.Error("its end is not what was asked for")
	}
	s.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("after Close the directory has %v, error %v", left, err)
	}
}

func TestSeedSelectsTheContent(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, seed := range []uint64{0, 1, 2, 1 << 63} {
		s := serveAlpha(t, func(r *registrytest.Release) { r.Size, r.Seed = 1000, seed })
		_, archive := packageOf(t, s)
		contents, _ := unpack(t, archive)
		seen[contents["terraform-provider-alpha_v1.0.0"]] = true
	}
	if len(seen) != 4 {
		t.Errorf("four seeds make %d contents", len(seen))
	}
}

func TestContentCanBeReplaced(t *testing.T) {
	t.Parallel()
	t.Run("executable", func(t *testing.T) {
		t.Parallel()
		s := serveAlpha(t, func(r *registrytest.Release) { r.Executable = []byte("mine") })
		_, archive := packageOf(t, s)
		if contents, _ := unpack(t, archive); contents["terraform-provider-alpha_v1.0.0"] != "mine" {
			t.Errorf("got %q", contents)
		}
	})
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		s := serveAlpha(t, func(r *registrytest.Release) {
			r.Files = func(platform string) (fs.FS, error) {
				return fstest.MapFS{
					"terraform-provider-alpha": {Data: []byte(platform)},
					"docs/README.md":           {Data: []byte("read me")},
					"bin/tool":                 {Data: []byte("tool"), Mode: 0o700},
				}, nil
			}
		})
		_, archive := packageOf(t, s)
		contents, modes := unpack(t, archive)
		if len(contents) != 3 || contents["terraform-provider-alpha"] != "linux_amd64" || contents["docs/README.md"] != "read me" {
			t.Errorf("got %q", contents)
		}
		if modes["terraform-provider-alpha"] != 0o755 || modes["bin/tool"] != 0o755 || modes["docs/README.md"] != 0o644 {
			t.Errorf("modes: %v", modes)
		}
	})
	t.Run("archive", func(t *testing.T) {
		t.Parallel()
		s := serveAlpha(t, func(r *registrytest.Release) {
			r.Archive = func(platform string) ([]byte, error) { return []byte("no zip for " + platform), nil }
			r.Packages = true
		})
		doc, archive := packageOf(t, s)
		if string(archive) != "no zip for linux_amd64" {
			t.Errorf("got %q", archive)
		}
		if hashes := doc.Packages["linux_amd64"].Hashes; len(hashes) != 1 {
			t.Errorf("hashes of what is no archive: %q", hashes)
		}
	})
}

func TestFilesMustBeRegular(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	broken := errors.New("broken")
	for name, files := range map[string]func(string) (fs.FS, error){
		"link": func(string) (fs.FS, error) {
			return fstest.MapFS{"link": {Mode: fs.ModeSymlink, Data: []byte("to")}}, nil
		},
		"error": func(string) (fs.FS, error) { return nil, broken },
	} {
		var e *registrytest.Error
		if err := s.Add(registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Files: files}); !errors.As(err, &e) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestPackagesAreTrue(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(r *registrytest.Release) { r.Packages = true })
	doc, archive := packageOf(t, s)
	if len(doc.Packages) != 2 {
		t.Fatalf("packages: %+v", doc.Packages)
	}
	path := t.TempDir() + "/package.zip"
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	h1, err := dirhash.HashZip(path, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	p := doc.Packages["linux_amd64"]
	if want := []string{"zh:" + doc.Shasum, h1}; !slices.Equal(p.Hashes, want) || p.Size != int64(len(archive)) {
		t.Errorf("got %+v, want %q", p, want)
	}
}

func TestSumsListAllFiles(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(r *registrytest.Release) { r.Manifest = true })
	doc, _ := packageOf(t, s)
	sums := string(good(t, s.Client(), doc.SumsURL).body)
	var names []string
	for line := range strings.Lines(sums) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		body := good(t, s.Client(), s.URL()+"/releases/acme/alpha/1.0.0/"+name).body
		if want := fmt.Sprintf("%x", sha256.Sum256(body)); !ok || sum != want {
			t.Errorf("%q, want %s", line, want)
		}
		names = append(names, strings.TrimPrefix(name, "terraform-provider-alpha_1.0.0_"))
	}
	if want := []string{"linux_amd64.zip", "manifest.json", "windows_arm64.zip"}; !slices.Equal(names, want) {
		t.Errorf("files are %q, want %q", names, want)
	}
}

func TestReleasesFromFiles(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"acme/alpha/1.0.0/linux_amd64/terraform-provider-alpha":                  {Data: []byte("one")},
		"acme/alpha/1.0.0/windows_arm64/sub/terraform-provider-alpha.exe":        {Data: []byte("two")},
		"acme/alpha/2.0.0/linux_amd64/terraform-provider-alpha":                  {Data: []byte("three")},
		"one.example.com/acme/beta/1.0.0/linux_amd64/terraform-provider-beta_v1": {Data: []byte("four")},
	}
	s := registrytest.New(t, registrytest.Config{FS: tree})
	if got := versionsOf(t, s.Client(), s.URL()+alphaVersions); !slices.Equal(got, []string{"1.0.0", "2.0.0"}) {
		t.Errorf("versions are %q", got)
	}
	_, archive := packageOf(t, s)
	contents, modes := unpack(t, archive)
	if contents["terraform-provider-alpha"] != "one" || modes["terraform-provider-alpha"] != 0o755 {
		t.Errorf("got %q, %v", contents, modes)
	}
	beta := s.HostServices("one.example.com")["providers.v1"] + "acme/beta/versions"
	if got := versionsOf(t, s.Client(), beta); !slices.Equal(got, []string{"1.0.0"}) {
		t.Errorf("versions of the host's own are %q", got)
	}
	if r := get(t, s.Client(), "https://two.example.com/v1/providers/acme/beta/versions"); r.status != 404 {
		t.Errorf("another host has it too: status %d", r.status)
	}
}

func TestStrayFilesAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"README.md", "acme/alpha/1.0.0/linux_amd64.zip", "acme/alpha/1.0.0/linux/x"} {
		var e *registrytest.Error
		_, err := registrytest.Start(registrytest.Config{FS: fstest.MapFS{name: {}}})
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
