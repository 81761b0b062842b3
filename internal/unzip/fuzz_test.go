package unzip_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/unzip"
)

var fuzzLimits = unzip.Limits{Entries: 100, File: 1 << 20, Total: 4 << 20}

// fuzzSeeds are archives near the interesting places.
func fuzzSeeds(f *testing.F) {
	link, dir := file("l", "../outside"), rawEntry{name: "d/", mode: unixDir | 0o755}
	link.mode = unixLink | 0o777
	for _, seed := range [][]byte{
		rawZip(), rawZip(file("a", "1")), rawZip64(file("a", "1"), file("b/c", "2")),
		rawZip(dir, file("d/x", "x"), deflated(f, "big", make([]byte, 10_000))),
		rawZip(file("../a", "x")), rawZip(file("C:a", "x")), rawZip(file("a", "1"), file("A", "2")), rawZip(link),
		packed(f, map[string][]byte{"a": []byte("x"), "b/c": noise(2000)}),
	} {
		f.Add(seed)
	}
}

// FuzzExtract shows that what is accepted is what archive/zip reads, that nothing is read again, and that memory has a bound.
func FuzzExtract(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, archive []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		report, err := unzip.Extract(t.Context(), &discarding{Reader: bytes.NewReader(archive)}, int64(len(archive)), "", fuzzLimits)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%d bytes allocated for an archive of %d", used, len(archive))
		}
		if errors.Is(err, errDiscarded) {
			t.Error(err)
		}
		if err != nil {
			if e := (*unzip.Error)(nil); !errors.As(err, &e) || err.Error() == "" {
				t.Errorf("got %#v, want an *unzip.Error", err)
			}
			return
		}
		for _, got := range report.Files {
			sameAsArchiveZip(t, archive, got)
		}
	})
}

func sameAsArchiveZip(t *testing.T, archive []byte, got unzip.File) {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := zr.Open(got.Name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := io.ReadAll(in)
	if err != nil || got.Size != int64(len(want)) || got.SHA256 != sha256.Sum256(want) {
		t.Errorf("%+v: archive/zip reads %d bytes, %v", got, len(want), err)
	}
}

// FuzzExtractStaysInside shows that nothing beside the directory changes.
func FuzzExtractStaysInside(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, archive []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		for _, err := range []error{os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(parent, "outside"), []byte("kept"), 0o600)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		report, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), dir, fuzzLimits)
		around, readErr := os.ReadDir(parent)
		if readErr != nil || len(around) != 2 || string(read(t, parent)["outside"]) != "kept" {
			t.Fatalf("the surroundings changed: %v, %v", around, readErr)
		}
		if err != nil {
			return
		}
		found := read(t, dir)
		if len(found) != len(report.Files) {
			t.Errorf("%d files, reported are %d", len(found), len(report.Files))
		}
		for _, want := range report.Files {
			if sha256.Sum256(found[want.Name]) != want.SHA256 {
				t.Errorf("%q is not as reported", want.Name)
			}
		}
	})
}
