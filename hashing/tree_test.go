package hashing_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/iotest"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/purveyor-dev/purveyor/hashing"
)

// The package that most tests hash, and its hash, made by: sha256sum $(find * -type f | LC_ALL=C sort) | sha256sum.
var files = map[string]string{
	"terraform-provider-example_v1.0.0": "#!/bin/sh\n",
	"LICENSE":                           "none\n",
	"docs/README.md":                    "read me\n",
	"docs.txt":                          "sorts before docs/ because of its dot\n",
	"empty":                             "",
	"ünïcode name":                      "é",
}

const filesH1 = "h1:XnZjbV4in1nnjDvXojLXeLmbhmWLoOHjnsEIt5itL7U="

// tree writes the files below a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// symlink skips the test where links cannot be made (Windows without the privilege).
func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("cannot make symbolic links here: %v", err)
	}
}

type entry struct{ name, content string }

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// referenceDir and referenceZip ask the implementation of the scheme in Go itself.
func referenceDir(t *testing.T, dir string) hashing.Hash {
	t.Helper()
	h, err := dirhash.HashDir(dir, "", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	return hashing.Hash(h)
}

func referenceZip(t *testing.T, data []byte) hashing.Hash {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.zip")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	h, err := dirhash.HashZip(path, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	return hashing.Hash(h)
}

func TestDir(t *testing.T) {
	t.Parallel()
	dir := tree(t, files)
	if err := os.Mkdir(filepath.Join(dir, "nothing in here"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := hashing.Dir(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got != filesH1 {
		t.Errorf("Dir = %s, want %s", got, filesH1)
	}
	if want := referenceDir(t, dir); got != want {
		t.Errorf("Dir = %s, dirhash says %s", got, want)
	}
}

func TestDirOfNothing(t *testing.T) {
	t.Parallel()
	got, err := hashing.Dir(context.Background(), t.TempDir())
	if err != nil || got != emptyH1 {
		t.Errorf("Dir = %s, %v; want %s", got, err, emptyH1)
	}
}

func TestDirLargerThanItsBuffer(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"large": string(bytes.Repeat([]byte("0123456789abcdef+"), 256<<10/8))})
	got, err := hashing.Dir(context.Background(), dir)
	if want := referenceDir(t, dir); err != nil || got != want {
		t.Errorf("Dir = %s, %v; want %s", got, err, want)
	}
}

func TestDirFollowsLinksToItselfAndToFiles(t *testing.T) {
	t.Parallel()
	dir := tree(t, files)
	link := filepath.Join(t.TempDir(), "link")
	symlink(t, dir, link)
	license := filepath.Join(dir, "LICENSE")
	if err := os.Rename(license, filepath.Join(filepath.Dir(link), "elsewhere")); err != nil {
		t.Fatal(err)
	}
	symlink(t, filepath.Join(filepath.Dir(link), "elsewhere"), license)
	got, err := hashing.Dir(context.Background(), link)
	if err != nil || got != filesH1 {
		t.Errorf("Dir = %s, %v; want %s", got, err, filesH1)
	}
}

func TestDirRefusesWhatIsNotAFile(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, dir string) string{
		"a linked directory": func(t *testing.T, dir string) string {
			symlink(t, t.TempDir(), filepath.Join(dir, "linked"))
			return dir
		},
		"a file as the package": func(t *testing.T, dir string) string { return filepath.Join(dir, "LICENSE") },
		"a device": func(t *testing.T, dir string) string {
			symlink(t, os.DevNull, filepath.Join(dir, "null"))
			if runtime.GOOS == "windows" {
				t.Skip("no device files on Windows")
			}
			return dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := hashing.Dir(context.Background(), prepare(t, tree(t, files)))
			var typed *hashing.FileTypeError
			if !errors.As(err, &typed) || got != "" {
				t.Errorf("Dir = %q, %v; want a *FileTypeError", got, err)
			}
		})
	}
}

func TestDirReportsWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := hashing.Dir(context.Background(), filepath.Join(t.TempDir(), "missing"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory gave %v", err)
	}
	dir := tree(t, files)
	symlink(t, "nowhere", filepath.Join(dir, "dangling"))
	if _, err := hashing.Dir(context.Background(), dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dangling link gave %v", err)
	}
}

func TestDirRefusesLineFeedsInNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such names on Windows")
	}
	_, err := hashing.Dir(context.Background(), tree(t, map[string]string{"a\nb": ""}))
	var name *hashing.NameError
	if !errors.As(err, &name) || name.Name != "a\nb" {
		t.Errorf("Dir gave %v, want a *NameError", err)
	}
}

func TestZip(t *testing.T) {
	t.Parallel()
	var plain []entry
	for name, content := range files {
		plain = append(plain, entry{name, content})
	}
	for _, test := range []struct {
		name    string
		entries []entry
		differ  bool
	}{
		{"files only", plain, false},
		{"with directory entries", append(plain, entry{"docs/", ""}, entry{"nothing in here/", ""}), true},
		{"nothing", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := archive(t, test.entries...)
			gotTree, gotEntries, err := hashing.Zip(context.Background(), bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			wantTree := hashing.Hash(filesH1)
			if test.entries == nil {
				wantTree = emptyH1
			}
			if gotTree != wantTree {
				t.Errorf("tree %s, want %s", gotTree, wantTree)
			}
			if want := referenceZip(t, data); gotEntries != want {
				t.Errorf("entries %s, dirhash says %s", gotEntries, want)
			}
			if differ := gotTree != gotEntries; differ != test.differ {
				t.Errorf("tree %s, entries %s", gotTree, gotEntries)
			}
		})
	}
}

func TestZipRefuses(t *testing.T) {
	t.Parallel()
	sum := func(data []byte) error {
		_, _, err := hashing.Zip(context.Background(), bytes.NewReader(data), int64(len(data)))
		return err
	}
	var name *hashing.NameError
	if err := sum(archive(t, entry{"twice", "a"}, entry{"twice", "b"})); !errors.As(err, &name) {
		t.Errorf("a repeated name gave %v", err)
	}
	if err := sum(archive(t, entry{"a\nb", ""})); !errors.As(err, &name) {
		t.Errorf("a line feed gave %v", err)
	}
	if err := sum([]byte("not a zip archive")); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("something else gave %v", err)
	}
	damaged := archive(t, entry{"file", "content of the file"})
	damaged[40] ^= 1
	if err := sum(damaged); err == nil {
		t.Error("damaged content gave no error")
	}
}

func TestContentsInAnyOrder(t *testing.T) {
	t.Parallel()
	var contents hashing.Contents
	for name, content := range files { // Go's random order is the test
		if err := contents.AddFile(name, sha256.Sum256([]byte(content))); err != nil {
			t.Fatal(err)
		}
	}
	if contents.Tree() != filesH1 || contents.Entries() != filesH1 {
		t.Errorf("tree %s, entries %s; want both %s", contents.Tree(), contents.Entries(), filesH1)
	}
	if err := contents.AddDirectory("docs"); err != nil {
		t.Fatal(err)
	}
	if contents.Tree() != filesH1 || contents.Entries() == filesH1 {
		t.Errorf("with a directory: tree %s, entries %s", contents.Tree(), contents.Entries())
	}
}

func TestContentsRefuses(t *testing.T) {
	t.Parallel()
	var contents hashing.Contents
	if contents.Tree() != emptyH1 {
		t.Errorf("the zero value has %s", contents.Tree())
	}
	sum := sha256.Sum256(nil)
	if err := contents.AddFile("there", sum); err != nil {
		t.Fatal(err)
	}
	if err := contents.AddDirectory("dir/"); err != nil {
		t.Fatal(err)
	}
	before := contents
	for _, err := range []error{
		contents.AddFile("", sum),
		contents.AddFile("a\nb", sum),
		contents.AddFile("there", sum),
		contents.AddFile("dir/", sum),
		contents.AddDirectory(""),
		contents.AddDirectory("a\nb/"),
		contents.AddDirectory("dir"),
	} {
		var name *hashing.NameError
		if !errors.As(err, &name) {
			t.Errorf("got %v, want a *NameError", err)
		}
	}
	if contents.Tree() != before.Tree() || contents.Entries() != before.Entries() {
		t.Error("what was refused changed the hash")
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	data := archive(t, entry{"file", "content"})
	want := hashing.ZH(sha256.Sum256(data))
	for name, r := range map[string]io.Reader{
		"at once":              bytes.NewReader(data),
		"byte by byte":         iotest.OneByteReader(bytes.NewReader(data)),
		"data with the ending": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		if got, err := hashing.Archive(context.Background(), r); err != nil || got != want {
			t.Errorf("%s: Archive = %s, %v; want %s", name, got, err, want)
		}
	}
	broken := errors.New("broken")
	if got, err := hashing.Archive(context.Background(), iotest.ErrReader(broken)); !errors.Is(err, broken) || got != "" {
		t.Errorf("Archive = %q, %v; want the reader's error", got, err)
	}
}

// endless cancels its own context after some reads.
type endless struct {
	reads  int
	cancel func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.reads--; e.reads == 0 {
		e.cancel()
	}
	return len(p), nil
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	if got, err := hashing.Archive(ctx, &endless{3, cancel}); !errors.Is(err, context.Canceled) || got != "" {
		t.Errorf("Archive = %q, %v", got, err)
	}
	if got, err := hashing.Dir(ctx, tree(t, files)); !errors.Is(err, context.Canceled) || got != "" {
		t.Errorf("Dir = %q, %v", got, err)
	}
	data := archive(t, entry{"file", "content"})
	if got, _, err := hashing.Zip(ctx, bytes.NewReader(data), int64(len(data))); !errors.Is(err, context.Canceled) || got != "" {
		t.Errorf("Zip = %q, %v", got, err)
	}
}
