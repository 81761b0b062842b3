package fsmirror_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

func TestWhatIsPublishedKeepsTheRules(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	linuxArchive, darwinArchive := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	push(t, dir, signedBy(t, signer, release(linuxArchive, darwinArchive)))
	var fixture sourcetest.Fixture
	for _, a := range []sources.Archive{linuxArchive, darwinArchive} {
		hashes := []hashing.Hash{a.Sum, hashing.Hash(h1(t, a.Path))}
		fixture.Packages = append(fixture.Packages, sourcetest.Package{Provider: rocket, Version: v1, Platform: a.Platform, Hashes: hashes})
	}
	for _, source := range []sources.Source{fsmirror.New(dir), served(t, dir)} {
		if err := sourcetest.TestSource(t.Context(), source, fixture); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
	wantSigned(t, dir, signer, linuxArchive, darwinArchive)
}

func TestDocumentsHaveTheClientsForm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := packed(t, linux, "linux")
	pushed := push(t, dir, release(a))
	want := fmt.Sprintf(`{
  "archives": {
    "linux_amd64": {
      "hashes": [
        %q,
        %q
      ],
      "url": "terraform-provider-rocket_1.0.0_linux_amd64.zip"
    }
  }
}`, h1(t, a.Path), a.Sum)
	got := files(t, filepath.Join(dir, home))
	if diff := cmp.Diff(want, got["1.0.0.json"]); diff != "" {
		t.Errorf("1.0.0.json (-want, +got): %s", diff)
	}
	if diff := cmp.Diff("{\n  \"versions\": {\n    \"1.0.0\": {}\n  }\n}", got["index.json"]); diff != "" {
		t.Errorf("index.json (-want, +got): %s", diff)
	}
	if len(got) != 3 || pushed.Signed || pushed.Address != filepath.Join(dir, home) {
		t.Errorf("there are %q; pushed is %+v", slices.Sorted(maps.Keys(got)), pushed)
	}
	checkModes(t, dir)
}

func checkModes(t *testing.T, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return
	}
	for name := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || info.Mode() != 0o644 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestPublishingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := signedBy(t, newSigner(t), release(packed(t, linux, "linux"), packed(t, darwin, "darwin")))
	first := push(t, dir, r)
	if !slices.Equal(first.Added, []sources.Platform{darwin, linux}) || first.Present != nil || !first.Signed || first.Uploaded.Bytes == 0 {
		t.Errorf("pushed is %+v", first)
	}
	age(t, dir)
	before := times(t, dir)
	for i := range r.Archives {
		r.Archives[i].Path = "" // what is there needs no file
	}
	again := push(t, dir, r)
	if !slices.Equal(again.Present, first.Added) || again.Added != nil || !again.Signed || again.Uploaded.Bytes != 0 {
		t.Errorf("the second time, pushed is %+v", again)
	}
	if diff := cmp.Diff(before, times(t, dir)); diff != "" {
		t.Errorf("files were written: %s", diff)
	}
}

func TestTheSameReleasesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	archives := []sources.Archive{packed(t, linux, "linux"), packed(t, darwin, "darwin"), packed(t, windows, "windows")}
	statement := attest(t, signer, archives...)
	one, other := t.TempDir(), t.TempDir()
	for _, i := range []int{0, 1, 2} {
		r := release(archives[i])
		r.Statement = statement
		push(t, one, r)
	}
	second := release(archives[2])
	second.Version = version("0.9.0")
	slices.Reverse(archives)
	all := release(archives...)
	all.Statement = statement
	push(t, other, second)
	push(t, other, all)
	push(t, one, second)
	if diff := cmp.Diff(files(t, one), files(t, other)); diff != "" {
		t.Errorf("the mirrors differ: %s", diff)
	}
}

func TestWhatIsThereStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "index.json", `{"versions": {"0.1.0": {"note": "<old>"}, "odd": null}, "x": [1.50]}`)
	put(t, dir, "1.0.0.json", `{"archives": {"linux_arm": {"url": "https://elsewhere.example.com/x.zip", "hashes": ["h1:x"]},
		"linux_amd64": {"url": "old.zip", "hashes": ["h9:kept", "h1:wrong"], "size": 3}, "junk": 7}, "y": {"z": null}}`)
	a := packed(t, linux, "linux")
	push(t, dir, release(a))
	want := map[string]any{
		"archives": map[string]any{
			"linux_arm":   map[string]any{"url": "https://elsewhere.example.com/x.zip", "hashes": []any{"h1:x"}},
			"linux_amd64": map[string]any{"url": "terraform-provider-rocket_1.0.0_linux_amd64.zip", "hashes": []any{h1(t, a.Path), "h9:kept", a.Sum.String()}, "size": 3.0},
			"junk":        7.0,
		},
		"y": map[string]any{"z": nil},
	}
	if diff := cmp.Diff(want, document(t, dir, "1.0.0.json")); diff != "" {
		t.Errorf("1.0.0.json (-want, +got): %s", diff)
	}
	index := map[string]any{"versions": map[string]any{"0.1.0": map[string]any{"note": "<old>"}, "odd": nil, "1.0.0": map[string]any{}}, "x": []any{1.5}}
	if diff := cmp.Diff(index, document(t, dir, "index.json")); diff != "" {
		t.Errorf("index.json (-want, +got): %s", diff)
	}
}

// terraform asks for a version by its usual name, whatever the index calls it.
func TestOddSpellingsAreReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "index.json", `{"versions": {"1.0": {"note": 1}}}`)
	put(t, dir, "1.0.json", `{"archives": {"plan9_mips": {"url": "https://elsewhere.example.com/x.zip", "hashes": []}}}`)
	push(t, dir, release(packed(t, linux, "linux")))
	if diff := cmp.Diff(map[string]any{"versions": map[string]any{"1.0.0": map[string]any{}}}, document(t, dir, "index.json")); diff != "" {
		t.Errorf("index.json (-want, +got): %s", diff)
	}
	if archives := document(t, dir, "1.0.0.json")["archives"].(map[string]any); len(archives) != 2 {
		t.Errorf("archives are %v", archives)
	}
	if _, err := os.Stat(filepath.Join(dir, home, "1.0.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old document is still there: %v", err)
	}
}

// A file that is not what the index says is no release, and need not be cleared away by a person.
func TestGivenHashesAreNotComputed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := packedBytes(t, linux, []byte("no zip, so its contents cannot be hashed"))
	a.H1 = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	push(t, dir, release(a))
	a.H1 = ""
	push(t, dir, release(a)) // the index has it
	hashes := document(t, dir, "1.0.0.json")["archives"].(map[string]any)["linux_amd64"].(map[string]any)["hashes"]
	if want := []any{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", a.Sum.String()}; !cmp.Equal(hashes, want) {
		t.Errorf("hashes are %v", hashes)
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := fsmirror.NewTarget(dir)
	stored := func() map[sources.Platform]hashing.Hash {
		got, err := target.Stored(t.Context(), rocket, v1)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := stored(); len(got) != 0 {
		t.Errorf("an empty directory has %v", got)
	}
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	if _, err := target.Push(t.Context(), release(a, b)); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "terraform-provider-rocket_1.0_windows_amd64.zip", "in an odd place")
	put(t, dir, "terraform-provider-rocket_1.0.0_linux_amd64.zip", "altered")
	other := hashing.Hash("zh:" + sum("altered"))
	if diff := cmp.Diff(map[sources.Platform]hashing.Hash{linux: other, darwin: b.Sum}, stored()); diff != "" {
		t.Errorf("stored (-want, +got): %s", diff)
	}
	removeFile(t, dir, "1.0.0.json")
	if got := stored(); got[darwin] != b.Sum {
		t.Errorf("without its index, %v is there", got)
	}
	if _, err := target.Stored(t.Context(), sources.Provider{}, v1); err == nil {
		t.Error("no provider was accepted")
	}
}

// Network mirrors are asked for hosts in ASCII, and both kinds of sources find them.
func TestHostsOfOtherAlphabets(t *testing.T) {
	t.Parallel()
	for host, dirName := range map[string]string{"bücher.example.com": "xn--bcher-kva.example.com", "registry.example.com:8443": "registry.example.com:8443"} {
		if runtime.GOOS == "windows" && strings.Contains(host, ":") {
			continue
		}
		dir := t.TempDir()
		r := release(packed(t, linux, "linux"))
		r.Provider = sources.MustParseProvider(host + "/acme/rocket")
		if pushed := push(t, dir, r); pushed.Address != filepath.Join(dir, dirName, "acme", "rocket") {
			t.Errorf("%s is in %s", host, pushed.Address)
		}
		for _, source := range []sources.Source{fsmirror.New(dir), served(t, dir)} {
			if _, err := source.Package(t.Context(), r.Provider, v1, linux); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestPublishingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	target := fsmirror.NewTarget(dir)
	_, pushing := target.Push(ctx, release(packed(t, linux, "linux")))
	put(t, dir, sources.ArchiveName(rocket, v1, linux), "something")
	_, listing := target.Stored(ctx, rocket, v1)
	removing := target.Remove(ctx, rocket, v1, []sources.Platform{linux})
	for _, err := range []error{pushing, listing, removing} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("there are %v", got)
	}
}

func TestLeftoversAreClearedAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, ".purveyor-123.tmp", "half an archive")
	push(t, dir, release(packed(t, linux, "linux")))
	if got := files(t, filepath.Join(dir, home)); len(got) != 3 {
		t.Errorf("there are %q", slices.Sorted(maps.Keys(got)))
	}
}
