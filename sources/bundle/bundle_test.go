package bundle_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

func TestABundleIsASource(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	archives := []sources.Archive{packed(t, linux, "linux"), packed(t, darwin, "darwin")}
	other := packed(t, windows, "other")
	b := open(t, bundled(t, released(t, rocket, v1, signer, archives...), released(t, omega, v2, nil, other)))
	fixture := sourcetest.Fixture{Packages: []sourcetest.Package{
		{Provider: rocket, Version: v1, Platform: linux, Hashes: []hashing.Hash{archives[0].Sum}},
		{Provider: rocket, Version: v1, Platform: darwin, Hashes: []hashing.Hash{archives[1].Sum}},
		{Provider: omega, Version: v2, Platform: windows, Hashes: []hashing.Hash{other.Sum}},
	}}
	if err := sourcetest.TestSource(t.Context(), b, fixture); err != nil {
		t.Error(err)
	}
	if got := content(t, b, rocket, v1, linux); !bytes.Equal(got, readFile(t, archives[0].Path)) {
		t.Error("the archive is another one")
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	path := bundled(t, released(t, omega, v2, nil, packed(t, linux, "linux")))
	b := open(t, path)
	pkg, err := b.Package(t.Context(), omega, v2, linux)
	if err != nil {
		t.Fatal(err)
	}
	if want := path + ":registry.example.com_8443/acme/omega:2.0.0-beta.1_build.5"; pkg.Location != want {
		t.Errorf("location is %s, want %s", pkg.Location, want)
	}
	r, size, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, ok := r.(sources.RangeOpener); !ok || size <= 0 {
		t.Errorf("the archive has no ranges, or the size %d", size)
	}
	_, err = b.Package(t.Context(), omega, v1, linux)
	var asked *sources.Error
	if !errors.As(err, &asked) || asked.Source != "bundle "+path || !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("absence is %v", err)
	}
	if _, err := b.Package(t.Context(), sources.MustParseProvider("registry.example.com/bücher/x"), v1, linux); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("absence is %v", err)
	}
}

func TestContents(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	b := open(t, bundled(t,
		released(t, omega, v2, nil, packed(t, windows, "windows")),
		released(t, rocket, v1, signer, packed(t, linux, "linux"), packed(t, darwin, "darwin")),
	))
	items, err := b.Contents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if !strings.HasPrefix(items[i].Digest, "sha256:") {
			t.Errorf("digest is %q", items[i].Digest)
		}
		items[i].Digest = ""
	}
	want := []bundle.Item{
		{Provider: rocket, Version: v1, Platforms: []sources.Platform{darwin, linux}, Signed: true},
		{Provider: omega, Version: v2, Platforms: []sources.Platform{windows}},
	}
	if diff := cmp.Diff(want, items, cmp.Comparer(func(a, b sources.Provider) bool { return a == b }), cmp.Comparer(func(a, b sources.Version) bool { return a == b })); diff != "" {
		t.Errorf("contents (-want, +got): %s", diff)
	}
}

func TestTheSamePackagesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	a, b, c := packed(t, linux, "linux"), packed(t, darwin, "darwin"), packed(t, windows, "windows")
	whole := released(t, rocket, v1, signer, a, b, c)
	other := released(t, omega, v2, signer, a)
	one := readFile(t, bundled(t, other, whole))
	var parts []sources.Release
	for _, archive := range []sources.Archive{c, a, b} { // the index changes twice
		part := whole
		part.Archives = []sources.Archive{archive}
		parts = append(parts, part)
	}
	if two := readFile(t, bundled(t, append(parts, other)...)); !bytes.Equal(one, two) {
		t.Errorf("the files differ, of %d and %d bytes", len(one), len(two))
	}
	if len(one)%512 != 0 || bytes.Contains(one, []byte("purveyor.1.0.0")) {
		t.Error("the file has what only targets need")
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	w := create(t, filepath.Join(t.TempDir(), "x.tar"))
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	if got, err := w.Stored(t.Context(), rocket, v1); err != nil || len(got) != 0 {
		t.Errorf("an empty bundle has %v, %v", got, err)
	}
	push(t, w, released(t, rocket, v1, nil, a))
	pushed := push(t, w, released(t, rocket, v1, nil, a, b))
	if !slices.Equal(pushed.Added, []sources.Platform{darwin}) || !slices.Equal(pushed.Present, []sources.Platform{linux}) ||
		!strings.HasSuffix(pushed.Address, "x.tar:registry.example.com/acme/rocket:1.0.0") {
		t.Errorf("pushed is %+v", pushed)
	}
	got, err := w.Stored(t.Context(), rocket, v1)
	if diff := cmp.Diff(map[sources.Platform]hashing.Hash{linux: a.Sum, darwin: b.Sum}, got); diff != "" || err != nil {
		t.Errorf("stored (-want, +got): %s, %v", diff, err)
	}
}

func TestWhatIsNotPublished(t *testing.T) {
	t.Parallel()
	w := create(t, filepath.Join(t.TempDir(), "x.tar"))
	good := packed(t, linux, "linux")
	push(t, w, released(t, rocket, v1, nil, good))

	_, err := w.Push(t.Context(), released(t, rocket, v1, nil, packed(t, linux, "another")))
	var conflict *sources.ConflictError
	if !errors.As(err, &conflict) || !strings.HasSuffix(conflict.Address, "x.tar:registry.example.com/acme/rocket:1.0.0") || conflict.Stored != good.Sum {
		t.Errorf("another archive: %v", err)
	}
	altered := packed(t, darwin, "darwin")
	if err := os.WriteFile(altered.Path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	var mismatch *hashing.MismatchError
	if _, err := w.Push(t.Context(), released(t, rocket, v1, nil, altered)); !errors.As(err, &mismatch) {
		t.Errorf("an altered file: %v", err)
	}
	half := released(t, rocket, v1, newSigner(t), packed(t, darwin, "darwin"))
	half.Archives = []sources.Archive{packed(t, windows, "windows")}
	var statement *sources.StatementError
	if _, err := w.Push(t.Context(), half); !errors.As(err, &statement) {
		t.Errorf("a statement about something else: %v", err)
	}
	var release *sources.ReleaseError
	if _, err := w.Push(t.Context(), released(t, sources.MustParseProvider("registry.example.com/bücher/x"), v1, nil, good)); !errors.As(err, &release) || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("an address that is not ASCII: %v", err)
	}
	commit(t, w)
	items, err := open(t, filepath.Join(filepath.Dir(conflictPath(conflict)), "x.tar")).Contents(t.Context())
	if err != nil || len(items) != 1 || !slices.Equal(items[0].Platforms, []sources.Platform{linux}) {
		t.Errorf("there are %+v, %v", items, err)
	}
}

func conflictPath(c *sources.ConflictError) string {
	path, _, _ := strings.Cut(c.Address, "x.tar:")
	return path + "x.tar"
}

// Nothing is at the path before the end, and nothing remains beside it.
func TestABundleAppearsInTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "providers.tar")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := create(t, path)
	r := released(t, rocket, v1, nil, packed(t, linux, "linux"))
	push(t, w, r)
	if string(readFile(t, path)) != "old" {
		t.Error("the old file has gone before the end")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".providers.tar.purveyor-*")); len(left) != 1 {
		t.Errorf("in between there is %v", left)
	}
	commit(t, w)
	if names := list(t, dir); !slices.Equal(names, []string{"providers.tar"}) {
		t.Errorf("in the end there is %v", names)
	}
	if _, err := open(t, path).Package(t.Context(), rocket, v1, linux); err != nil {
		t.Error(err)
	}
	_, pushing := w.Push(t.Context(), r)
	_, listing := w.Stored(t.Context(), rocket, v1)
	for _, err := range []error{pushing, listing, w.Commit(t.Context())} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	}
	for op, err := range map[string]error{"publish packages": pushing, "list packages": listing} {
		var asked *sources.Error
		if !errors.As(err, &asked) || asked.Op != op || asked.Source != w.String() || asked.Provider != rocket || asked.Version != v1 {
			t.Errorf("%s: the error is %v", op, err)
		}
	}
}

func TestABundleThatIsDiscarded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := create(t, filepath.Join(dir, "providers.tar"))
	push(t, w, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if names := list(t, dir); len(names) != 0 {
		t.Errorf("there is %v", names)
	}
}

func TestABundleThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "providers.tar")
	if _, err := bundle.Create(dir); err == nil {
		t.Error("a directory is no bundle")
	}
	if _, err := bundle.Create(filepath.Join(dir, "missing", "x.tar")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its directory: %v", err)
	}
	w := create(t, path)
	push(t, w, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	if err := os.MkdirAll(filepath.Join(path, "in", "the", "way"), 0o755); err != nil {
		t.Fatal(err)
	}
	var failed *bundle.CommitError
	if err := w.Commit(t.Context()); !errors.As(err, &failed) || failed.Path != path {
		t.Errorf("with something in the way: %v", err)
	}
	if names := list(t, dir); !slices.Equal(names, []string{"providers.tar"}) {
		t.Errorf("there is %v", names)
	}
}

func TestAnEmptyBundle(t *testing.T) {
	t.Parallel()
	b := open(t, bundled(t))
	if items, err := b.Contents(t.Context()); err != nil || len(items) != 0 {
		t.Errorf("there is %v, %v", items, err)
	}
	if _, err := b.Verify(t.Context(), bundle.VerifyOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := b.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("absence is %v", err)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// What is wrong with reading a bundle is told as part of what was asked of which.
func TestABundleThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path := bundled(t, released(t, rocket, v1, nil, packed(t, linux, "linux")))
	closed, err := bundle.Open(path)
	if err == nil {
		err = closed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	data := readFile(t, path)
	broken := &failing{Reader: bytes.NewReader(data)}
	unreadable, err := bundle.OpenReader(broken, int64(len(data)), path)
	if err != nil {
		t.Fatal(err)
	}
	broken.failed.Store(true)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx   context.Context
		b     *bundle.Bundle
		cause error
	}{
		{t.Context(), closed, fs.ErrClosed},
		{t.Context(), unreadable, errBroken},
		{canceled, open(t, path), context.Canceled},
	} {
		_, listing := test.b.Contents(test.ctx)
		report, verification := test.b.Verify(test.ctx, bundle.VerifyOptions{})
		if report == nil {
			t.Error("there is no report")
		}
		for op, err := range map[string]error{"list packages": listing, "verify package": verification} {
			var asked *sources.Error
			if !errors.As(err, &asked) || asked.Op != op && test.cause != context.Canceled || asked.Source != test.b.String() || !errors.Is(err, test.cause) {
				t.Errorf("%s: the error is %T: %v", op, err, err)
			}
		}
	}
}

var errBroken = errors.New("the disk is broken")

// failing is a file that can be read until it fails.
type failing struct {
	*bytes.Reader
	failed atomic.Bool
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.failed.Load() {
		return 0, errBroken
	}
	return f.Reader.ReadAt(p, off)
}
