package unzip_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/unzip"
)

// extract extracts archive into a new directory.
func extract(t testing.TB, archive []byte, limits unzip.Limits) (*unzip.Report, string, error) {
	t.Helper()
	dir := t.TempDir()
	report, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), dir, limits)
	return report, dir, err
}

// packed makes an archive the way Go programs do: deflated, with data descriptors.
func packed(t testing.TB, contents map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.HuffmanOnly) }) // fast
	for _, name := range slices.Sorted(keys(contents)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o755)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(contents[name])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// noise is data that deflates to about half: it repeats itself, but at a distance that deflate does not see.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	block := make([]byte, min(n, 100_000))
	for i := range block {
		block[i] = byte(r.IntN(16))
	}
	return bytes.Repeat(block, n/max(1, len(block))+1)[:n]
}

// read lists the files below dir with their contents.
func read(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestExtractGivesWhatArchiveZipGives(t *testing.T) {
	t.Parallel()
	contents := map[string][]byte{
		"LICENSE.txt":                      []byte("free"),
		"docs/nested/readme.md":            noise(1000),
		"empty":                            {},
		"terraform-provider-test_v1":       noise(5 << 20), // hashed beside
		"one-buffer":                       noise(256 << 10),
		"one-buffer-and-a-byte":            noise(256<<10 + 1),
		"größe/Übersicht (2) [x] & 'y' ~1": []byte("names are no syntax"),
	}
	archive := packed(t, contents)
	report, dir, err := extract(t, archive, unzip.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	zr, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range zr.File {
		want := unzip.File{Name: f.Name, Size: int64(f.UncompressedSize64), SHA256: sha256.Sum256(contents[f.Name]), Executable: true}
		if report.Files[i] != want {
			t.Errorf("file %d: got %+v, want %+v", i, report.Files[i], want)
		}
	}
	if got := read(t, dir); !reflect.DeepEqual(got, contents) {
		t.Errorf("extracted %v", slices.Sorted(keys(got)))
	}
	dry, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), "", unzip.Limits{})
	if err != nil || !reflect.DeepEqual(dry, report) {
		t.Errorf("without a directory: %+v, %v", dry, err)
	}
}

func TestNothingIsExecutableYet(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits on Windows")
	}
	run, plain, dos := file("bin/run", "x"), file("plain", "x"), file("dos", "x")
	run.mode, dos.mode = unixFile|0o777, 0
	report, dir, err := extract(t, rawZip(run, plain, dos), unzip.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false} {
		f := report.Files[i]
		if f.Executable != want {
			t.Errorf("%s: Executable = %v", f.Name, f.Executable)
		}
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode()&^0o644 != 0 {
			t.Errorf("%s: mode %v", f.Name, info.Mode())
		}
	}
}

func TestDirectoryEntriesAreMadeAndReported(t *testing.T) {
	t.Parallel()
	dir := rawEntry{name: "docs/", mode: unixDir | 0o700}
	deep := rawEntry{name: "a/b/", mode: unixDir | 0o755}
	report, at, err := extract(t, rawZip(file("docs/x", "x"), dir, deep), unzip.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"docs/", "a/b/"}; !slices.Equal(report.Directories, want) {
		t.Errorf("Directories = %q, want %q", report.Directories, want)
	}
	if info, err := os.Stat(filepath.Join(at, "a", "b")); err != nil || !info.IsDir() {
		t.Errorf("a/b: %v, %v", info, err)
	}
}

func TestFormsOfArchivesThatAreFine(t *testing.T) {
	t.Parallel()
	body, directory := rawDirectory([]rawEntry{file("a", "1")})
	withComment := put(nil, body, directory, rawEnd(1, len(directory), len(body), string(noise(3000))))
	backwards := []rawEntry{file("a", "1"), file("b", "22")}
	bodyB, _ := rawDirectory(backwards)
	backwards[0].offset, backwards[1].offset = ptr(uint32(0)), ptr(uint32(30+1+1))
	slices.Reverse(backwards)
	_, directoryB := rawDirectory(backwards)
	longer := file("a", "1")
	longer.localExtra = put(nil, uint16(0x5455), uint16(5), "\x01....")
	for name, archive := range map[string][]byte{
		"64-bit end record":              rawZip64(file("a", "1"), file("b", "2")),
		"archive comment":                withComment,
		"directory in another order":     put(nil, bodyB, directoryB, rawEnd(2, len(directoryB), len(bodyB), "")),
		"extra field only in the header": rawZip(longer, file("b", "2")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, dir, err := extract(t, archive, unzip.Limits{}); err != nil || string(read(t, dir)["a"]) != "1" {
				t.Errorf("got %q, %v", read(t, dir), err)
			}
		})
	}
}

func TestAnArchiveIsReadFromItsEndThenInOrder(t *testing.T) {
	t.Parallel()
	archive := packed(t, map[string][]byte{"a": noise(100_000), "b": noise(100_000), "c": noise(3 << 20)})
	r := &recording{Reader: bytes.NewReader(archive)}
	if _, err := unzip.Extract(t.Context(), r, int64(len(archive)), "", unzip.Limits{}); err != nil {
		t.Fatal(err)
	}
	begun := slices.Index(r.offsets, 0)
	for _, offset := range r.offsets[:begun] {
		if offset < int64(len(archive))-4096 {
			t.Errorf("read at %d of %d before the first entry was", offset, len(archive))
		}
	}
	if !slices.IsSorted(r.offsets[begun+1:]) {
		t.Errorf("went back: %v", r.offsets[begun:])
	}
}

// Nothing is read that was said not to be needed any more: of archives with data descriptors and without, of files stored
// and deflated, in whatever order the directory has them.
func TestNothingIsReadAgain(t *testing.T) {
	t.Parallel()
	for name, archive := range map[string][]byte{
		"deflated, with descriptors": packed(t, map[string][]byte{"a": noise(100_000), "b": nil, "c": bytes.Repeat([]byte("c"), 1<<20), "d": noise(1 << 20)}),
		"stored, without":            rawZip(file("a", string(noise(300_000))), file("b", "2")),
	} {
		r := &discarding{Reader: bytes.NewReader(archive)}
		if _, err := unzip.Extract(t.Context(), r, int64(len(archive)), "", unzip.Limits{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r.before < int64(len(archive)/2) {
			t.Errorf("%s: only %d of %d bytes were said to be read", name, r.before, len(archive))
		}
	}
}

// discarding refuses what was discarded.
type discarding struct {
	*bytes.Reader
	before int64
}

var errDiscarded = errors.New("what was discarded is read again")

func (d *discarding) Discard(before int64) { d.before = max(d.before, before) }

func (d *discarding) ReadAt(p []byte, offset int64) (int, error) {
	if offset < d.before {
		return 0, fmt.Errorf("%w: at %d, up to %d", errDiscarded, offset, d.before)
	}
	return d.Reader.ReadAt(p, offset)
}

type recording struct {
	*bytes.Reader
	offsets []int64
}

func (r *recording) ReadAt(p []byte, offset int64) (int, error) {
	if len(p) > 4 { // not the data descriptors, which are read when the next header may be buffered
		r.offsets = append(r.offsets, offset)
	}
	return r.Reader.ReadAt(p, offset)
}

func TestCancelEndsExtraction(t *testing.T) {
	t.Parallel()
	archive := packed(t, map[string][]byte{"a": noise(8 << 20)})
	ctx, cancel := context.WithCancel(t.Context())
	r := &during{Reader: bytes.NewReader(archive), at: 1 << 20, do: cancel}
	_, err := unzip.Extract(ctx, r, int64(len(archive)), "", unzip.Limits{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if r.last > 3<<20 {
		t.Errorf("still reading at %d", r.last)
	}
}

// during does something when its reader has come to a place.
type during struct {
	*bytes.Reader
	at, last int64
	do       func()
}

func (r *during) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) < r.Size() {
		if r.last = offset; offset >= r.at {
			r.do()
		}
	}
	return r.Reader.ReadAt(p, offset)
}

func TestAFailingSourceIsNotADamagedArchive(t *testing.T) {
	t.Parallel()
	archive := packed(t, map[string][]byte{"a": noise(1 << 20)})
	cut := fmt.Errorf("connection lost: %w", io.ErrUnexpectedEOF)
	for _, readable := range []int64{int64(len(archive)), 100_000, 0} {
		r := &broken{bytes.NewReader(archive), readable, cut}
		_, err := unzip.Extract(t.Context(), r, r.Size(), "", unzip.Limits{})
		if readable == r.Size() {
			if err != nil {
				t.Errorf("whole: %v", err)
			}
			continue
		}
		if !errors.Is(err, cut) || errors.Is(err, unzip.ErrCorrupt) {
			t.Errorf("first %d bytes: %v", readable, err)
		}
	}
}

// broken cannot read what begins between ok and the last 1,500 bytes, or nothing at all if ok is 0.
type broken struct {
	*bytes.Reader
	ok  int64
	err error
}

func (r *broken) ReadAt(p []byte, offset int64) (int, error) {
	if r.ok == 0 || offset > r.ok && offset < r.Size()-1500 {
		return 0, r.err
	}
	return r.Reader.ReadAt(p, offset)
}

func TestAFileThatIsThereIsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := rawZip(file("a", "new"))
	_, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), dir, unzip.Limits{})
	if !errors.Is(err, unzip.ErrDuplicate) || !errors.Is(err, fs.ErrExist) || string(read(t, dir)["a"]) != "old" {
		t.Errorf("got %v, %q", err, read(t, dir))
	}
}

func TestALinkInTheDirectoryIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	archive := rawZip(file("out/a", "x"))
	_, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), dir, unzip.Limits{})
	if e := (*unzip.Error)(nil); !errors.As(err, &e) || len(read(t, outside)) != 0 {
		t.Errorf("got %v, outside %q", err, read(t, outside))
	}
}

func TestAMissingDirectoryIsAnError(t *testing.T) {
	t.Parallel()
	archive := rawZip(file("a", "x"))
	_, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), filepath.Join(t.TempDir(), "no"), unzip.Limits{})
	if e := (*unzip.Error)(nil); !errors.As(err, &e) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkExtract(b *testing.B) {
	archive := packed(b, map[string][]byte{"terraform-provider-x": noise(64 << 20)})
	b.SetBytes(64 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := unzip.Extract(b.Context(), bytes.NewReader(archive), int64(len(archive)), "", unzip.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
