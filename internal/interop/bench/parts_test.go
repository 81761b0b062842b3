package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/unzip"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// partsSize is the size in bytes of the package whose parts are measured, unpacked. Rates are of unpacked bytes.
const partsSize = 100 * megabyte

// packageArchive downloads a package of partsSize.
func packageArchive(b *testing.B) (path string) {
	b.Helper()
	one := offer{Sets: sets(set{1, partsSize})}
	srv := registrytest.New(b, registrytest.Config{})
	if err := one.publish(srv); err != nil {
		b.Fatal(err)
	}
	m := &module{registry: &registry{greeting: greeting{Host: srv.Host()}}}
	response, err := srv.Client().Get(m.archiveURL())
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	path = filepath.Join(b.TempDir(), archiveFile)
	if err := write(path, response.Body); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkInflateAlone is the baseline of BenchmarkExtract.
func BenchmarkInflateAlone(b *testing.B) {
	archive := packageArchive(b)
	b.Chdir(b.TempDir())
	b.SetBytes(partsSize)
	for b.Loop() {
		if err := inflate([]string{archive}); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll("inflated"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExtract is how the library unpacks and hashes a package.
func BenchmarkExtract(b *testing.B) {
	f, err := os.Open(packageArchive(b))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(b.TempDir(), "package")
	b.SetBytes(partsSize)
	for b.Loop() {
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if _, err := unzip.Extract(b.Context(), f, size, dir, unzip.Limits{}); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHashDirectory is how the library verifies an installed package that no record knows.
func BenchmarkHashDirectory(b *testing.B) {
	archive := packageArchive(b)
	b.Chdir(b.TempDir())
	if err := inflate([]string{archive}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(partsSize)
	for b.Loop() {
		if _, err := hashing.Dir(b.Context(), "inflated"); err != nil {
			b.Fatal(err)
		}
	}
}
