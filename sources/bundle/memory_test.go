package bundle_test

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// TestMemoryForEntries does not run beside other tests. What an entry of index.json has besides is not kept, nor taken apart.
func TestMemoryForEntries(t *testing.T) { //nolint:paralleltest
	var keys strings.Builder
	for i := 0; keys.Len() < 3<<20; i++ {
		fmt.Fprintf(&keys, `"%x":"",`, i)
	}
	many := `["` + strings.Repeat(`","`, 1<<20) + `"]`
	good := files(t, small(t))
	for what, more := range map[string]string{
		"addresses":   `"urls":` + many,
		"annotations": `"annotations":{` + keys.String() + `"x":""}`,
		"features":    `"platform":{"os.features":` + many + `}`,
	} {
		index := `{"manifests":[{"digest":"` + digestOf(nil).String() + `",` + more + `}]}`
		data := archived(t, with(good, file("index.json", index)))
		before := allocated()
		if err := openReader(data); err != nil {
			t.Fatal(err)
		}
		if took := allocated() - before; took > 8*uint64(len(index)) {
			t.Errorf("%s: %d bytes took %d bytes of memory", what, len(index), took)
		}
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
