package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

func openReader(data []byte) error {
	_, err := bundle.OpenReader(bytes.NewReader(data), int64(len(data)), "memory")
	return err
}

// small is a bundle of one package.
func small(t testing.TB) []byte {
	t.Helper()
	return readFile(t, bundled(t, released(t, rocket, v1, newSigner(t), packed(t, linux, "linux"))))
}

func special(typeflag byte, name, link string) tarFile {
	return tarFile{Header: tar.Header{Typeflag: typeflag, Name: name, Linkname: link}}
}

func TestFilesThatAreNoPartOfABundle(t *testing.T) {
	t.Parallel()
	good := files(t, small(t))
	blob := good[2].Name
	for what, test := range map[string]struct {
		add  tarFile
		want error
	}{
		"a parent":              {file("../evil", "x"), bundle.ErrUnsafeName},
		"a parent inside":       {file("blobs/../../evil", "x"), bundle.ErrUnsafeName},
		"a detour":              {file("blobs/../index2.json", "x"), bundle.ErrUnsafeName},
		"an absolute name":      {file("/etc/passwd", "x"), bundle.ErrUnsafeName},
		"an empty part":         {file("blobs//sha256", "x"), bundle.ErrUnsafeName},
		"a backslash":           {file(`blobs\sha256`, "x"), bundle.ErrUnsafeName},
		"a name that is no dot": {file("./../x", "x"), bundle.ErrUnsafeName},
		"a link":                {special(tar.TypeSymlink, "link", "/etc/passwd"), bundle.ErrNotRegular},
		"a hard link":           {special(tar.TypeLink, "link", blob), bundle.ErrNotRegular},
		"a device":              {special(tar.TypeChar, "null", ""), bundle.ErrNotRegular},
		"a disk":                {special(tar.TypeBlock, "disk", ""), bundle.ErrNotRegular},
		"a pipe":                {special(tar.TypeFifo, "pipe", ""), bundle.ErrNotRegular},
		"an index twice":        {file("index.json", "{}"), bundle.ErrDuplicate},
		"a blob twice":          {file("./"+blob, "x"), bundle.ErrDuplicate},
		"a directory's name":    {special(tar.TypeDir, blob+"/", ""), bundle.ErrDuplicate},
		"a long name":           {file(strings.Repeat("x", bundle.MaxName+1), "x"), sources.ErrTooLarge},
		"global headers": {tarFile{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g",
			PAXRecords: map[string]string{"path": "index.json"}}}, bundle.ErrNotRegular},
		"many extended headers": {tarFile{Header: tar.Header{Typeflag: tar.TypeReg, Name: "x",
			PAXRecords: map[string]string{"PURVEYOR.bomb": strings.Repeat("x", 900<<10)}}}, sources.ErrTooLarge},
	} {
		wantFileError(t, what, openReader(archived(t, append(slices.Clone(good), test.add))), test.want)
	}
}

// Sparse files would have other bytes than those that are stored.
func TestSparseFiles(t *testing.T) {
	t.Parallel()
	whole := small(t)
	if err := openReader(whole); err != nil {
		t.Fatal(err)
	}
	old := slices.Clone(whole)
	at := bytes.Index(old, []byte("index.json"))
	old[at+156] = tar.TypeGNUSparse
	copy(old[at+257:], "ustar  \x00")
	copy(old[at+386:], "00000000000\x0000000000000\x00")
	copy(old[at+483:], "00000000000\x00")
	wantFileError(t, "GNU 0", openReader(withSum(old, at)), bundle.ErrNotRegular)

	dir := t.TempDir()
	sparse := filepath.Join(dir, "hole")
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(10<<20), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"gnu", "posix"} {
		path := filepath.Join(dir, format+".tar")
		run(t, "tar", "-C", dir, "--sparse", "--format="+format, "-cf", path, "hole")
		if size := len(readFile(t, path)); size > 1<<20 {
			t.Skipf("this tar does not make sparse files: %d bytes", size)
		}
		_, err := bundle.Open(path)
		wantFileError(t, format, err, bundle.ErrNotRegular)
	}
}

// withSum corrects the sum of a header.
func withSum(data []byte, at int) []byte {
	header := data[at : at+512]
	copy(header[148:], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

// Sizes that are not those of anything.
func TestSizesInHeaders(t *testing.T) {
	t.Parallel()
	for what, size := range map[string]string{
		"8 GiB":    "77777777777",
		"9 EiB":    "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff",
		"negative": "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		data := small(t)
		at := bytes.Index(data, []byte("index.json"))
		copy(data[at+124:], size)
		err := openReader(withSum(data, at))
		var wrong *bundle.FileError
		if !errors.As(err, &wrong) || !errors.Is(err, bundle.ErrTruncated) && !errors.Is(err, bundle.ErrNotTar) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestOtherFiles(t *testing.T) {
	t.Parallel()
	good := small(t)
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := w.Write(good); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	zip := readFile(t, packed(t, linux, "linux").Path)
	for what, test := range map[string]struct {
		data []byte
		want error
	}{
		"gzip":           {compressed.Bytes(), bundle.ErrCompressed},
		"zstd":           {[]byte("\x28\xb5\x2f\xfd and so on"), bundle.ErrCompressed},
		"nothing":        {nil, bundle.ErrTruncated},
		"a byte":         {[]byte("x"), bundle.ErrTruncated},
		"a zip":          {append(zip, make([]byte, 1024)...), bundle.ErrNotTar},
		"a page":         {bytes.Repeat([]byte("<html>"), 1000), bundle.ErrNotTar},
		"an empty tar":   {make([]byte, 10<<10), bundle.ErrMissing},
		"no layout":      {archived(t, files(t, good)[1:]), bundle.ErrMissing},
		"no index":       {archived(t, slices.Delete(files(t, good), 1, 2)), bundle.ErrMissing},
		"another layout": {archived(t, with(files(t, good), file("oci-layout", `{"imageLayoutVersion":"2.0.0"}`))), bundle.ErrDocument},
		"no JSON":        {archived(t, with(files(t, good), file("oci-layout", `1.0.0`))), bundle.ErrDocument},
	} {
		wantFileError(t, what, openReader(test.data), test.want)
	}
	if _, err := bundle.Open(t.TempDir()); err == nil {
		t.Error("a directory was opened")
	}
	_, err := bundle.OpenReader(bytes.NewReader(good), -1, "memory")
	wantFileError(t, "an unknown size", err, bundle.ErrTruncated)
}

func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large archives")
	}
	t.Parallel()
	entry := `{"digest":"sha256:` + strings.Repeat("0", 64) + `"},`
	index := `{"manifests":[` + strings.TrimSuffix(strings.Repeat(entry, bundle.MaxListed+1), ",") + `]}`
	wantFileError(t, "many entries", openReader(archived(t, with(files(t, small(t)), file("index.json", index)))), sources.ErrTooLarge)
	var many []tarFile
	for i := range bundle.MaxFiles + 1 {
		many = append(many, file(fmt.Sprintf("x%d", i), ""))
	}
	wantFileError(t, "many files", openReader(archived(t, many)), sources.ErrTooLarge)
}

// Wherever a file is cut off, it is known to be.
func TestCutOffAnywhere(t *testing.T) {
	t.Parallel()
	whole := small(t)
	if err := openReader(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		var wrong *bundle.FileError
		if err := openReader(whole[:n]); !errors.As(err, &wrong) || !errors.Is(err, bundle.ErrTruncated) && !errors.Is(err, bundle.ErrNotTar) {
			t.Fatalf("after %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// A file that breaks while it is read is not a malformed one.
func TestFilesThatBreak(t *testing.T) {
	t.Parallel()
	data := small(t)
	broken := &breaking{ReaderAt: bytes.NewReader(data)}
	b, err := bundle.OpenReader(broken, int64(len(data)), "disk")
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := b.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	broken.err = errors.New("the disk is broken")
	_, describing := b.Package(t.Context(), rocket, v1, linux)
	_, verifying := b.Verify(t.Context(), bundle.VerifyOptions{})
	_, opening := bundle.OpenReader(broken, int64(len(data)), "disk")
	for _, err := range []error{describing, verifying, opening, readArchive(t.Context(), pkg)} {
		if !errors.Is(err, broken.err) || errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("the error is %v", err)
		}
	}
}

// What the file system refuses is not an outage, which a chain could pass over.
func TestRefusalsOfTheFileSystem(t *testing.T) {
	t.Parallel()
	r := released(t, rocket, v1, newSigner(t), packed(t, linux, "linux"))
	b, err := bundle.Open(bundled(t, r))
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := b.Package(t.Context(), rocket, v1, linux)
	if err = errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	_, describing := b.Package(t.Context(), rocket, v1, linux)
	_, claiming := pkg.Claims(t.Context())

	dir := t.TempDir()
	w := create(t, filepath.Join(dir, "providers.tar"))
	if blobs, err := filepath.Glob(filepath.Join(dir, ".providers.tar.purveyor-*", "blobs")); err != nil || len(blobs) != 1 || os.Remove(blobs[0]) != nil {
		t.Fatalf("there is %q, %v", blobs, err)
	}
	_, pushing := w.Push(t.Context(), r)
	for what, test := range map[string]struct{ err, want error }{
		"Package": {describing, fs.ErrClosed},
		"Claims":  {claiming, fs.ErrClosed},
		"Push":    {pushing, fs.ErrNotExist},
	} {
		if !errors.Is(test.err, test.want) || errors.Is(test.err, sources.ErrUnavailable) || errors.Is(test.err, sources.ErrNotFound) {
			t.Errorf("%s: %v", what, test.err)
		}
	}
}

type breaking struct {
	io.ReaderAt
	err error
}

func (b *breaking) ReadAt(p []byte, off int64) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	return b.ReaderAt.ReadAt(p, off)
}

func readArchive(ctx context.Context, pkg *sources.Package) error {
	r, _, err := pkg.Content.Archive.Open(ctx)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}

func FuzzOpen(f *testing.F) {
	data := small(f)
	f.Add(data)
	f.Add(archived(f, with(files(f, data), special(tar.TypeSymlink, "link", "x"))))
	f.Add(archived(f, []tarFile{file("oci-layout", `{"imageLayoutVersion":"1.0.0"}`), file("index.json", `{"manifests":[]}`)}))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := bundle.OpenReader(bytes.NewReader(data), int64(len(data)), "fuzz")
		if err != nil {
			wantFileErrorOfAnyKind(t, err)
			return
		}
		agree(t, data)
		_, _ = b.Versions(t.Context(), rocket)
		if pkg, err := b.Package(t.Context(), rocket, v1, linux); err == nil {
			_, _ = pkg.Claims(t.Context())
			_ = readArchive(t.Context(), pkg)
		}
		_, _ = b.Contents(t.Context())
		_, _ = b.Verify(t.Context(), bundle.VerifyOptions{})
	})
}

func wantFileErrorOfAnyKind(t *testing.T, err error) {
	t.Helper()
	var wrong *bundle.FileError
	if !errors.As(err, &wrong) || strings.ContainsAny(err.Error(), "\n\x00") {
		t.Errorf("the error is %q", err)
	}
}

// agree makes sure that what was accepted is the same to those who read the archive from its beginning to its end.
func agree(t *testing.T, data []byte) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range files(t, data) {
		if seen[f.Name] {
			t.Errorf("%q is there twice", f.Name)
		}
		seen[f.Name] = true
	}
}
