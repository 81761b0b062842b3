package fsmirror_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

func TestAnotherPackageIsAConflict(t *testing.T) {
	t.Parallel()
	ours, theirs := packed(t, linux, "ours"), packed(t, linux, "theirs")
	name := sources.ArchiveName(rocket, v1, linux)
	for what, prepare := range map[string]func(dir string){
		"published":               func(dir string) { push(t, dir, release(theirs)) },
		"published, now no file":  func(dir string) { push(t, dir, release(theirs)); removeFile(t, dir, name) },
		"no index":                func(dir string) { push(t, dir, release(theirs)); removeFile(t, dir, "1.0.0.json") },
		"an index without hashes": func(dir string) { put(t, dir, name, "their file"); put(t, dir, "1.0.0.json", `{"archives":{}}`) },
	} {
		dir := t.TempDir()
		prepare(dir)
		before := files(t, dir)
		_, err := fsmirror.NewTarget(dir).Push(t.Context(), release(packed(t, darwin, "darwin"), ours))
		var conflict *sources.ConflictError
		var asked *sources.Error
		if !errors.As(err, &conflict) || conflict.Platform != linux || conflict.Pushed != ours.Sum || conflict.Stored == "" || !errors.As(err, &asked) {
			t.Errorf("%s: the error is %v", what, err)
		}
		if diff := cmp.Diff(before, files(t, dir)); diff != "" {
			t.Errorf("%s: the mirror has changed: %s", what, diff)
		}
	}
}

func removeFile(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, home, name)); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedPackagesAreReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := packed(t, linux, "linux")
	push(t, dir, release(a))
	want := files(t, dir)
	for _, damage := range []string{"", "altered"} {
		put(t, dir, sources.ArchiveName(rocket, v1, linux), damage)
		if pushed := push(t, dir, release(a)); !slices.Equal(pushed.Added, []sources.Platform{linux}) {
			t.Errorf("pushed is %+v", pushed)
		}
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Errorf("after damage %q: %s", damage, diff)
		}
	}
}

func TestArchivesThatAreNotWhatTheyShould(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := packed(t, darwin, "darwin")
	altered, noZip, missing := packed(t, linux, "linux"), packedBytes(t, linux, []byte("no zip")), packed(t, linux, "linux")
	altered.Sum, missing.Path = good.Sum, filepath.Join(t.TempDir(), "missing")
	for name, test := range map[string]struct {
		archive sources.Archive
		want    func(error) bool
	}{
		"altered": {altered, func(err error) bool {
			var e *hashing.MismatchError
			return errors.As(err, &e) && e.By == hashing.ByOriginal
		}},
		"no zip":      {noZip, func(err error) bool { return strings.Contains(err.Error(), "zip") }},
		"missing":     {missing, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"a directory": {sources.Archive{Platform: linux, Path: dir, Sum: good.Sum}, func(err error) bool { return strings.Contains(err.Error(), "not a regular file") }},
	} {
		_, err := fsmirror.NewTarget(dir).Push(t.Context(), release(good, test.archive))
		if err == nil || !test.want(err) || !strings.Contains(err.Error(), "linux_amd64") && name != "a directory" {
			t.Errorf("%s: the error is %v", name, err)
		}
		if left := files(t, dir); len(left) != 0 {
			t.Errorf("%s: there are files: %q", name, slices.Sorted(maps.Keys(left)))
		}
	}
}

func TestReleasesThatCannotBePublished(t *testing.T) {
	t.Parallel()
	good := packed(t, linux, "linux")
	with := func(change func(*sources.Archive)) sources.Release {
		a := good
		change(&a)
		return release(a)
	}
	for want, r := range map[string]sources.Release{
		"Provider is missing":       {Version: v1, Archives: []sources.Archive{good}},
		"Version is missing":        {Provider: rocket, Archives: []sources.Archive{good}},
		"Archives are missing":      release(),
		"has no Path":               with(func(a *sources.Archive) { a.Path = "" }),
		"is a second one":           release(good, good),
		"which is no zh hash":       with(func(a *sources.Archive) { a.Sum = hashing.Hash(strings.ToUpper(string(a.Sum))) }),
		"which is no h1 hash":       with(func(a *sources.Archive) { a.H1 = a.Sum }),
		"Archives[0] has no valid ": with(func(a *sources.Archive) { a.Platform = sources.Platform{OS: "../..", Arch: "x"} }),
	} {
		dir := t.TempDir()
		_, err := fsmirror.NewTarget(dir).Push(t.Context(), r)
		var wrong *sources.ReleaseError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
		if len(files(t, dir)) != 0 {
			t.Errorf("%s: there are files", want)
		}
	}
}

func TestIndexesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"index.json": `{"versions": [`, "1.0.0.json": `[]`,
	} {
		dir := t.TempDir()
		put(t, dir, name, content)
		_, err := fsmirror.NewTarget(dir).Push(t.Context(), release(packed(t, linux, "linux")))
		if !errors.Is(err, sources.ErrMalformed) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if got := files(t, filepath.Join(dir, home)); len(got) != 1 || got[name] != content {
			t.Errorf("%s: there are %q", name, got)
		}
	}
	for what, content := range map[string]string{
		"too large":           strings.Repeat(" ", 4<<20+1),
		"too large to change": `{"x":"` + strings.Repeat("x", 4<<20-10) + `"}`,
	} {
		dir := t.TempDir()
		put(t, dir, "1.0.0.json", content)
		if _, err := fsmirror.NewTarget(dir).Push(t.Context(), release(packed(t, linux, "linux"))); !errors.Is(err, sources.ErrTooLarge) {
			t.Errorf("%s: the error is %v", what, err)
		}
		if got := files(t, dir); len(got) != 1 {
			t.Errorf("%s: there are %d files", what, len(got))
		}
	}
}

// Whatever is asked of a target, the error says what that was.
func TestErrorsSayWhatWasAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := fsmirror.NewTarget(dir)
	if err := os.WriteFile(filepath.Join(dir, "registry.example.com"), nil, 0o600); err != nil { // where a directory has to be
		t.Fatal(err)
	}
	_, pushing := target.Push(t.Context(), release(packed(t, linux, "linux")))
	_, listing := target.Stored(t.Context(), rocket, v1)
	ended, end := context.WithCancel(t.Context())
	end()
	_, listingAll := target.Contents(ended)
	removing := target.Remove(t.Context(), rocket, v1, []sources.Platform{linux})
	for _, test := range []struct {
		err  error
		want sources.Error
	}{
		{pushing, sources.Error{Op: "publish packages", Provider: rocket, Version: v1}},
		{listing, sources.Error{Op: "list packages", Provider: rocket, Version: v1}},
		{removing, sources.Error{Op: "remove packages", Provider: rocket, Version: v1}},
		{listingAll, sources.Error{Op: "list packages"}},
	} {
		var asked *sources.Error
		if !errors.As(test.err, &asked) {
			t.Errorf("%s: the error is %v", test.want.Op, test.err)
			continue
		}
		got := *asked
		if got.Err = nil; asked.Err == nil || got.Source != target.String() {
			t.Errorf("%s: the error is %v", test.want.Op, test.err)
		}
		if got.Source = ""; got != test.want {
			t.Errorf("the error is about %+v, want %+v", got, test.want)
		}
	}
}
