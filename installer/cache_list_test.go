package installer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// stock is a cache with packages that nobody needs to download.
type stock struct {
	*testing.T
	dir string
}

func newStock(t *testing.T) stock { return stock{t, t.TempDir()} }

func (s stock) cache() *installer.Cache { return &installer.Cache{Dir: s.dir} }

// put makes a package of so many bytes for linux_amd64 that was last used so long ago, and returns its path. It looks like
// terraform's: without a lock file.
func (s stock) put(address, version string, bytes int, age time.Duration) string {
	s.Helper()
	p := provider(address)
	path := filepath.Join(s.dir, filepath.FromSlash(sources.PackagePath(p, sources.MustParseVersion(version), fourPlatforms[0])))
	executable := filepath.Join(path, sources.ExecutablePrefix+p.Type())
	if err := errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(executable, make([]byte, bytes), 0o755)); err != nil {
		s.Fatal(err)
	}
	s.age(path, age)
	return path
}

// age makes something look as if nobody had touched it for so long.
func (s stock) age(path string, age time.Duration) {
	s.Helper()
	then := time.Now().Add(-age)
	if err := os.Chtimes(path, then, then); err != nil {
		s.Fatal(err)
	}
}

func (s stock) list() []installer.CacheEntry {
	s.Helper()
	list, err := s.cache().List(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return list
}

// names returns the packages as "acme/alpha 1.0.0".
func names(entries []installer.CacheEntry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, strings.TrimPrefix(e.Provider.String(), host)+" "+e.Version.String())
	}
	return list
}

// contents returns everything below a directory: paths, types, modes, sizes and times.
func contents(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all = append(all, fmt.Sprintf("%s %v %d %v", path, info.Mode(), info.Size(), info.ModTime()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const day = 24 * time.Hour

func TestCacheListsWhatInstallersMade(t *testing.T) {
	t.Parallel()
	f, _, pkg := installed(t)
	list, err := (&installer.Cache{Dir: f.in.CacheDir}).List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	e := list[0]
	if e.Provider != provider("acme/alpha") || e.Version != version("1.0.0") || e.Platform != sources.CurrentPlatform() || e.Path != pkg.Stored {
		t.Errorf("the package is listed as %+v", e)
	}
	info, err := os.Stat(pkg.Executable)
	if err != nil || e.Bytes < info.Size() || e.Bytes > info.Size()+1000 {
		t.Errorf("it has %d bytes, its executable %d (%v)", e.Bytes, info.Size(), err)
	}
	if e.State != installer.CacheReady || time.Since(e.Used) > time.Hour || time.Since(e.Used) < 0 {
		t.Errorf("state %s, last used %s", e.State, e.Used)
	}
}

func TestCacheListIsInOrder(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	for _, version := range []string{"1.10.0", "1.2.0", "1.2.0-beta1"} {
		s.put("acme/alpha", version, 10, day)
	}
	s.put("aaaa/zulu", "1.0.0", 10, day)
	if got, want := names(s.list()), []string{"aaaa/zulu 1.0.0", "acme/alpha 1.2.0-beta1", "acme/alpha 1.2.0", "acme/alpha 1.10.0"}; !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}

func TestCacheListTellsLastUse(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	path := s.put("acme/alpha", "1.0.0", 10, 9*day)
	for _, test := range []struct {
		mark time.Duration // age of the lock file; 0: there is none
		want time.Duration
	}{{0, 9 * day}, {20 * day, 9 * day}, {3 * day, 3 * day}} {
		if test.mark > 0 {
			if err := os.WriteFile(path+".lock", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			s.age(path+".lock", test.mark)
		}
		if got := time.Since(s.list()[0].Used).Round(time.Hour); got != test.want {
			t.Errorf("with a lock file of %s, it was last used %s ago, want %s", test.mark, got, test.want)
		}
	}
}

// hostile fills a cache with things that are no packages, or look bad.
func (s stock) hostile() {
	s.Helper()
	version := filepath.Dir(s.put("acme/alpha", "1.0.0", 10, 30*day))
	kind, outside := filepath.Dir(version), s.TempDir()
	secret := filepath.Join(outside, "terraform-provider-alpha")
	for _, err := range []error{
		os.WriteFile(secret, []byte("not the cache's"), 0o755),
		os.Symlink(outside, filepath.Join(version, "linux_arm64")),                    // a link, as terraform makes them
		os.Symlink("loop_loop", filepath.Join(version, "loop_loop")),                  // to itself
		os.Symlink(s.dir, filepath.Join(s.dir, "up.example.com")),                     // around
		os.Symlink(outside, filepath.Join(kind, "3.0.0")),                             // a version elsewhere
		os.Symlink(outside, filepath.Join(version, "linux_amd64", "way-out")),         // in a package
		os.WriteFile(filepath.Join(version, "darwin_arm64"), []byte("x"), 0o600),      // a file for a directory
		os.WriteFile(filepath.Join(kind, "2.0.0"), []byte("x"), 0o600),                // likewise
		os.WriteFile(filepath.Join(s.dir, "other.example.com"), []byte("x"), 0o600),   // likewise
		os.MkdirAll(filepath.Join(version, "Linux_AMD64"), 0o755),                     // no platform
		os.MkdirAll(filepath.Join(version, ".staging-elsewhere"), 0o755),              // no staging directory of ours
		os.MkdirAll(filepath.Join(kind, "1.0", "linux_amd64"), 0o755),                 // not canonical
		os.MkdirAll(filepath.Join(kind, "v1.0.0", "linux_amd64"), 0o755),              // no version
		os.MkdirAll(filepath.Join(s.dir, "Registry.EXAMPLE.com", "a", "b"), 0o755),    // not canonical
		os.MkdirAll(filepath.Join(s.dir, "git repository", "a", "b", "1.0.0"), 0o755), // something else
		os.MkdirAll(filepath.Join(version, "windows_amd64", "empty"), 0o755),          // nothing to run
	} {
		if err != nil {
			s.Fatal(err)
		}
	}
}

func TestCacheListPassesForeignThingsOver(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	s.hostile()
	want := map[string]installer.CacheState{
		"linux_amd64": installer.CacheReady, "windows_amd64": installer.CacheDamaged,
		"linux_arm64": installer.CacheLink, "loop_loop": installer.CacheLink,
	}
	for _, e := range s.list() {
		if state, ok := want[e.Platform.String()]; !ok || e.State != state || e.Version != version("1.0.0") {
			t.Errorf("listed %+v", e)
		}
		delete(want, e.Platform.String())
		if e.Platform.Arch == "amd64" && e.Platform.OS == "linux" && e.Bytes != 10 {
			t.Errorf("a link out of the package was followed: %d bytes", e.Bytes)
		}
	}
	if len(want) != 0 {
		t.Errorf("not listed: %v", want)
	}
}

// Memory and time do not depend on what is not the cache's.
func TestCacheListStreams(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	version := filepath.Dir(s.put("acme/alpha", "1.0.0", 10, day))
	for i := range 5000 {
		if err := os.WriteFile(filepath.Join(version, fmt.Sprintf("linux_junk%d.lock", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(s.list()); len(got) != 1 {
		t.Errorf("listed %v", got)
	}
}

func TestCacheListOfNothing(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "missing")} {
		c := &installer.Cache{Dir: dir}
		if list, err := c.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%s: %v, %v", dir, list, err)
		}
		if pruned, err := c.Prune(t.Context(), installer.CachePrune{OlderThan: 1}); err != nil || len(pruned.Removed) != 0 {
			t.Errorf("%s: %+v, %v", dir, pruned, err)
		}
	}
	file := filepath.Join(s.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file} {
		var field *sources.FieldError
		if _, err := (&installer.Cache{Dir: dir}).List(t.Context()); !errors.As(err, &field) || field.Field != "Cache.Dir" {
			t.Errorf("%q: error is %v", dir, err)
		}
	}
}

func TestCacheObeysItsContext(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	path := s.put("acme/alpha", "1.0.0", 10, 9*day)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errList := s.cache().List(ctx)
	_, errVerify := s.cache().Verify(ctx)
	_, errPrune := s.cache().Prune(ctx, installer.CachePrune{OlderThan: day})
	for _, err := range []error{errList, errVerify, errPrune} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	}
	if _, err := hashing.Dir(t.Context(), path); err != nil {
		t.Error(err)
	}
}
