package bundle_test

import (
	"archive/zip"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// TestMemory does not run beside other tests, which take memory, too.
func TestMemory(t *testing.T) { //nolint:paralleltest
	const size = 64 << 20
	r := released(t, rocket, v1, newSigner(t), large(t, size))
	path := filepath.Join(t.TempDir(), "providers.tar")
	before := allocated()
	w := create(t, path)
	push(t, w, r)
	commit(t, w)
	b := open(t, path)
	if _, err := b.Verify(t.Context(), bundle.VerifyOptions{}); err != nil {
		t.Fatal(err)
	}
	pkg, err := b.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if err := readArchive(t.Context(), pkg); err != nil {
		t.Fatal(err)
	}
	if took := allocated() - before; took > size/8 {
		t.Errorf("a package of %d bytes took %d bytes of memory", size, took)
	}
}

// allocated returns how many bytes have ever been allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// large is an archive of about so many bytes.
func large(t *testing.T, size int64) sources.Archive {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "large.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := sha256.New()
	z := zip.NewWriter(io.MultiWriter(f, sum))
	entry, err := z.CreateHeader(&zip.FileHeader{Name: "terraform-provider-rocket_v1.0.0", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(entry, rand.NewChaCha8([32]byte{}), size); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return sources.Archive{Platform: linux, Path: f.Name(), Sum: hashing.ZH([32]byte(sum.Sum(nil)))}
}
