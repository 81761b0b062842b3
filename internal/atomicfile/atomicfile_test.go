package atomicfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/atomicfile"
)

func mustRead(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkNothingLeft fails if a temporary file is in dir.
func checkNothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, atomicfile.TempPattern))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func mustSymlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

func TestWriteMakesAndReplaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, data := range []string{"first", "", "a longer third"} {
		if err := atomicfile.Write(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, path); got != data {
			t.Errorf("got %q, want %q", got, data)
		}
	}
	checkNothingLeft(t, dir)
}

func TestWriteSetsTheModeExactly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits on Windows")
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, mode := range []os.FileMode{0o600, 0o644, 0o666, 0o755, 0o444, 0o640} {
		if err := atomicfile.Write(path, nil, mode|fs.ModeSetuid); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("got %v, want %v", info.Mode(), mode)
		}
	}
}

func TestAReaderKeepsTheOldContents(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file is not replaced on Windows")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.Write(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := atomicfile.Write(path, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	old := make([]byte, 10)
	if n, _ := reader.Read(old); string(old[:n]) != "old" || mustRead(t, path) != "new" {
		t.Errorf("the open file has %q, the path %q", old[:n], mustRead(t, path))
	}
}

func TestConcurrentWritersNeverMix(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("renames over one file at the same moment fail on Windows")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := atomicfile.Write(path, bytes.Repeat([]byte{byte('a' + i)}, 10_000), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := mustRead(t, path)
	if want := bytes.Repeat([]byte{got[0]}, 10_000); got != string(want) {
		t.Error("mixed contents")
	}
	checkNothingLeft(t, dir)
}

func TestLinksStayAndTheirTargetsAreReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	for _, d := range []string{in("links"), in("real", "deep")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mustSymlink(t, in("real", "deep"), in("links", "jump"))
	for name, c := range map[string]struct{ link, points, file string }{
		"relative":               {in("relative"), "real/a", in("real", "a")},
		"absolute":               {in("absolute"), in("real", "b"), in("real", "b")},
		"link to a link":         {in("chain"), "relative2", in("real", "c")},
		"out of a linked folder": {in("links", "jump", "up"), "../d", in("real", "d")},
		"up after a linked one":  {in("links", "up"), "jump/../e", in("real", "e")},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "link to a link" {
				mustSymlink(t, "real/c", in("relative2"))
			}
			mustSymlink(t, filepath.FromSlash(c.points), c.link)
			for _, data := range []string{"made", "replaced"} { // at first the link points to nothing
				if err := atomicfile.Write(c.link, []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
				if got := mustRead(t, c.file); got != data {
					t.Errorf("got %q, want %q", got, data)
				}
			}
			if info, err := os.Lstat(c.link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v, %v", info, err)
			}
		})
	}
}

// The temporary file must be made where the target really is: a rename from elsewhere may cross file systems.
func TestTheRealDirectoryIsUsed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("needs a directory that cannot be written")
	}
	dir := t.TempDir()
	sealed, real := filepath.Join(dir, "sealed"), filepath.Join(dir, "real", "deep")
	if err := errors.Join(os.Mkdir(sealed, 0o700), os.MkdirAll(real, 0o700)); err != nil {
		t.Fatal(err)
	}
	mustSymlink(t, real, filepath.Join(sealed, "jump"))
	mustSymlink(t, "jump/../file", filepath.Join(sealed, "link"))
	if err := os.Chmod(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(sealed, 0o700) })
	if err := atomicfile.Write(filepath.Join(sealed, "link"), []byte("x"), 0o644); err != nil {
		t.Error(err)
	}
}

func TestFailuresLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "full", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"full", "full" + string(filepath.Separator)} {
		if err := atomicfile.Write(dir+string(filepath.Separator)+path, []byte("x"), 0o644); err == nil {
			t.Errorf("%s: a directory was replaced", path)
		}
	}
	if err := atomicfile.Write(filepath.Join(dir, "no", "file"), nil, 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v", err)
	}
	loop := filepath.Join(dir, "loop")
	mustSymlink(t, "loop", loop)
	if err := atomicfile.Write(loop, nil, 0o644); err == nil {
		t.Error("a link to itself was resolved")
	}
	checkNothingLeft(t, dir)
}

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "atomicfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, ".terraform.lock.hcl")
	fmt.Println(atomicfile.Write(path, []byte("# maintained automatically\n"), 0o644))
	data, err := os.ReadFile(path)
	fmt.Printf("%s%v\n", data, err)
	// Output:
	// <nil>
	// # maintained automatically
	// <nil>
}
