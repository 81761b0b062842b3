package registrytest_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// tree returns the contents of all files below a directory, by their paths.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func written(t *testing.T, s *registrytest.Server, layout registrytest.Layout, providers ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "not", "there", "yet")
	if err := s.WriteMirror(dir, layout, providers...); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPackedMirror(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(*registrytest.Release) {})
	files := tree(t, written(t, s, registrytest.Packed, "registry.example.com/acme/alpha"))
	want := []string{
		alphaMirror + "1.0.0.json",
		alphaMirror + "index.json",
		alphaMirror + "terraform-provider-alpha_1.0.0_linux_amd64.zip",
		alphaMirror + "terraform-provider-alpha_1.0.0_windows_arm64.zip",
	}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Fatalf("files are %q", got)
	}
	if got := files[want[1]]; got != "{\n  \"versions\": {\n    \"1.0.0\": {}\n  }\n}" {
		t.Errorf("index.json is %s", got)
	}
	doc, _ := mirrorVersion(t, s)
	linux := decode[mirrorVersionDoc](t, []byte(files[want[0]])).Archives["linux_amd64"]
	if h1 := doc.Archives["linux_amd64"].Hashes[:1]; !slices.Equal(linux.Hashes, h1) || linux.URL != filepath.Base(want[2]) {
		t.Errorf("got %+v, want %q", linux, h1)
	}
	if files[want[2]] != string(good(t, s.Client(), s.URL()+alphaArchive).body) {
		t.Error("the archive is not the registry's")
	}
}

func TestUnpackedMirror(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(*registrytest.Release) {})
	dir := written(t, s, registrytest.Unpacked, "registry.example.com/acme/alpha")
	doc, _ := mirrorVersion(t, s)
	for _, platform := range alpha.Platforms {
		pkg := filepath.Join(dir, filepath.FromSlash(alphaMirror), "1.0.0", platform)
		h1, err := dirhash.HashDir(pkg, "", dirhash.Hash1)
		if err != nil || h1 != doc.Archives[platform].Hashes[0] {
			t.Errorf("%s has %s, %v; want %q", platform, h1, err, doc.Archives[platform].Hashes)
		}
		info, err := os.Stat(filepath.Join(pkg, "terraform-provider-alpha_v1.0.0"))
		if err != nil || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
			t.Errorf("%s: the executable is %v, %v", platform, info, err)
		}
	}
	if got := len(tree(t, dir)); got != 4 { // an executable and a licence for each of two platforms
		t.Errorf("there are %d files", got)
	}
}

func TestMirrorOfChosenProviders(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/alpha", Version: "1.0.0"},
		{Provider: "Bücher.example/acme/alpha", Version: "1.1.0"},
		{Provider: "Bücher.example/acme/beta", Version: "2.0.0"},
	}})
	everywhere := []string{"bücher.example/acme/alpha 2", "registry.example.com/acme/alpha 1",
		"registry.opentofu.org/acme/alpha 1", "registry.terraform.io/acme/alpha 1"}
	for name, tt := range map[string]struct{ providers, want []string }{
		"all":             {nil, slices.Insert(slices.Clone(everywhere), 1, "bücher.example/acme/beta 1")},
		"one host":        {[]string{"elsewhere.example/acme/alpha"}, []string{"elsewhere.example/acme/alpha 1"}},
		"Punycode":        {[]string{"xn--bcher-kva.example/acme/alpha"}, []string{"bücher.example/acme/alpha 2"}},
		"any host":        {[]string{"acme/alpha"}, everywhere},
		"the host it has": {[]string{"acme/beta", "acme/beta"}, []string{"bücher.example/acme/beta 1"}},
	} {
		var got []string
		for file, content := range tree(t, written(t, s, registrytest.Packed, tt.providers...)) {
			if dir, ok := strings.CutSuffix(file, "/index.json"); ok {
				got = append(got, dir+" "+string(rune('0'+len(decode[mirrorIndexDoc](t, []byte(content)).Versions))))
			}
		}
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestMirrorsAddUp(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(*registrytest.Release) {})
	dir := written(t, s, registrytest.Packed, "registry.example.com/acme/alpha")
	for range 2 { // the second time replaces
		if err := s.WriteMirror(dir, registrytest.Unpacked, "registry.example.com/acme/alpha"); err != nil {
			t.Fatal(err)
		}
		if err := s.WriteMirror(dir, registrytest.Packed, "registry.example.com/acme/alpha"); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(tree(t, dir)); got != 8 {
		t.Errorf("there are %d files", got)
	}
}

func TestMirrorHashesOfADirectoryCanBeChosen(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(r *registrytest.Release) { r.MirrorHashes = []string{"zh", "h1"} })
	files := tree(t, written(t, s, registrytest.Packed, "registry.example.com/acme/alpha"))
	doc, _ := mirrorVersion(t, s)
	got := decode[mirrorVersionDoc](t, []byte(files[alphaMirror+"1.0.0.json"])).Archives["linux_amd64"].Hashes
	if want := doc.Archives["linux_amd64"].Hashes; len(want) != 2 || !slices.Equal(got, want) {
		t.Errorf("hashes are %q, want %q", got, want)
	}
}

func TestMirrorsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noZip := func(r *registrytest.Release) {
		r.Archive = func(string) ([]byte, error) { return []byte("no zip"), nil }
	}
	nothing := func(*registrytest.Release) {}
	for name, tt := range map[string]struct {
		change    func(*registrytest.Release)
		dir       string
		layout    registrytest.Layout
		providers []string
		cause     error // nil means any
	}{
		"into a file":       {nothing, filepath.Join(file, "below"), registrytest.Packed, nil, nil},
		"unknown layout":    {nothing, t.TempDir(), 7, nil, nil},
		"unknown provider":  {nothing, t.TempDir(), registrytest.Packed, []string{"acme/beta"}, nil},
		"no provider":       {nothing, t.TempDir(), registrytest.Packed, []string{"alpha"}, nil},
		"no archive":        {noZip, t.TempDir(), registrytest.Unpacked, nil, zip.ErrFormat},
		"unpacked on a NUL": {func(r *registrytest.Release) { r.Version = "1\x00" }, t.TempDir(), registrytest.Packed, nil, nil},
	} {
		err := serveAlpha(t, tt.change).WriteMirror(tt.dir, tt.layout, tt.providers...)
		var e *registrytest.Error
		if !errors.As(err, &e) || e.Op != "write mirror" || e.What != tt.dir || (tt.cause != nil && !errors.Is(err, tt.cause)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestHostileArchivesStayInTheirDirectory: archives made to attack unpackers may be served, and must not attack this one.
func TestHostileArchivesStayInTheirDirectory(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"../../../../../../escaped", "/escaped", `..\..\..\..\escaped`, "a/../../../../../../../escaped"} {
		s := serveAlpha(t, func(r *registrytest.Release) {
			r.Archive = func(string) ([]byte, error) { return zipOf(t, &zip.FileHeader{Name: entry}), nil }
		})
		parent := t.TempDir()
		if err := s.WriteMirror(filepath.Join(parent, "mirror"), registrytest.Unpacked, "registry.example.com/acme/alpha"); err != nil {
			t.Logf("%q is refused: %v", entry, err)
		}
		for file := range tree(t, parent) {
			if !strings.HasPrefix(file, "mirror/"+alphaMirror+"1.0.0/") {
				t.Errorf("%q is unpacked to %s", entry, file)
			}
		}
	}
}

func TestSymbolicLinksAreNotUnpacked(t *testing.T) {
	t.Parallel()
	link := &zip.FileHeader{Name: "link"}
	link.SetMode(fs.ModeSymlink | 0o777)
	s := serveAlpha(t, func(r *registrytest.Release) {
		r.Archive = func(string) ([]byte, error) { return zipOf(t, link), nil }
	})
	var e *registrytest.Error
	if err := s.WriteMirror(t.TempDir(), registrytest.Unpacked); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

// zipOf returns an archive with one entry.
func zipOf(t *testing.T, header *zip.FileHeader) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	entry, err := w.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write([]byte("/etc")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
