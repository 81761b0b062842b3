package gogetter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

// gitEnv is an environment of git that knows nothing of the machine's user.
func gitEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.com", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.com",
	}
}

// repo is a git repository to fetch from.
type repo string

// newRepo makes a repository with the files of a directory below "providers".
func newRepo(t *testing.T, files string) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("not tested: git is not on PATH")
	}
	r := repo(t.TempDir())
	r.git(t, "init", "--quiet", "--initial-branch=main")
	if err := os.CopyFS(r.path("providers"), os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	r.commit(t)
	return r
}

func (r repo) path(name string) string { return filepath.Join(string(r), filepath.FromSlash(name)) }

func (r repo) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = string(r), gitEnv()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// commit commits all that is there, and returns the commit's name.
func (r repo) commit(t *testing.T) string {
	t.Helper()
	r.git(t, "add", "--all")
	r.git(t, "commit", "--quiet", "--allow-empty", "--message=x")
	return r.git(t, "rev-parse", "HEAD")
}

// address is that of the mirror in the repository.
func (r repo) address(query string) string {
	path := filepath.ToSlash(string(r))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "git::file://" + path + "//providers" + query
}

func (r repo) open(t *testing.T, query string, edits ...func(*gogetter.Config)) *gogetter.Source {
	t.Helper()
	config := gogetter.Config{Address: r.address(query), Environ: gitEnv()}
	for _, edit := range edits {
		edit(&config)
	}
	return open(t, config)
}

func TestRepositoriesKeepTheRules(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string]registrytest.Layout{"packed": registrytest.Packed, "unpacked": registrytest.Unpacked} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := newRepo(t, mirrorDir(t, layout)).open(t, "")
			if err := sourcetest.TestSource(t.Context(), source, fixture()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDirectoriesKeepTheRules(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string]registrytest.Layout{"packed": registrytest.Packed, "unpacked": registrytest.Unpacked} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := sourcetest.TestSource(t.Context(), open(t, gogetter.Config{Address: mirrorDir(t, layout)}), fixture()); err != nil {
				t.Error(err)
			}
		})
	}
}

// listed returns the versions of rocket.
func listed(t *testing.T, source sources.Source) []string {
	t.Helper()
	listing, err := source.Versions(t.Context(), rocket)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, a := range listing.Versions {
		versions = append(versions, a.Version.String())
	}
	slices.Sort(versions)
	return versions
}

func TestRefs(t *testing.T) {
	t.Parallel()
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	first := r.git(t, "rev-parse", "HEAD")
	r.git(t, "tag", "v1")
	r.git(t, "tag", "--annotate", "--message=x", "annotated")
	r.git(t, "branch", "release/1")
	if err := os.RemoveAll(r.path("providers/" + home)); err != nil {
		t.Fatal(err)
	}
	r.write(t, "providers/"+home+"terraform-provider-rocket_2.0.0_linux_amd64.zip")
	r.commit(t)
	for name, query := range map[string]string{
		"a tag":              "?ref=v1",
		"an annotated tag":   "?ref=annotated",
		"a branch":           "?ref=release/1",
		"a commit":           "?ref=" + first,
		"part of a commit":   "?ref=" + first[:10],
		"depth is no matter": "?ref=v1&depth=1",
	} {
		if got := listed(t, r.open(t, query)); !slices.Equal(got, []string{"1.0.0", "1.1.0-rc1"}) {
			t.Errorf("%s: versions are %v", name, got)
		}
	}
	if got := listed(t, r.open(t, "")); !slices.Equal(got, []string{"2.0.0"}) {
		t.Errorf("the default branch: versions are %v", got)
	}
}

func (r repo) write(t *testing.T, name string) {
	t.Helper()
	path := r.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatARepositoryDoesNotHave(t *testing.T) {
	t.Parallel()
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	for name, address := range map[string]string{
		"ref":        r.address("?ref=nowhere"),
		"directory":  strings.Replace(r.address(""), "//providers", "//elsewhere", 1),
		"file":       strings.Replace(r.address(""), "//providers", "//providers/"+home+"index.json", 1),
		"repository": "git::file:///nowhere/at/all.git",
	} {
		_, err := open(t, gogetter.Config{Address: address, Environ: gitEnv()}).Versions(t.Context(), rocket)
		if err == nil || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: error is %v, want one that is not absence", name, err)
		}
	}
}

// spy is a git that notes how it was called, and then is git.
func spy(t *testing.T, before string) (program string, calls func() string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not tested: a shell script stands in for git")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not tested: git is not on PATH")
	}
	dir := t.TempDir()
	program, log := filepath.Join(dir, "git"), filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> '%s'\n%s\nexec '%s' \"$@\"\n", log, before, real)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() string {
		text, _ := os.ReadFile(log)
		return string(text)
	}
}

func TestARepositoryIsFetchedOnce(t *testing.T) {
	t.Parallel()
	program, calls := spy(t, "")
	r := newRepo(t, mirrorDir(t, registrytest.Unpacked))
	source := r.open(t, "", func(c *gogetter.Config) { c.Git = program })
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := source.Package(t.Context(), rocket, v1, linux); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := strings.Count(calls(), "fetch "); n != 1 {
		t.Errorf("it was fetched %d times", n)
	}
}

func TestARepositoryIsKeptUntilClose(t *testing.T) {
	t.Parallel()
	r, parent := newRepo(t, mirrorDir(t, registrytest.Unpacked)), t.TempDir()
	source := r.open(t, "", func(c *gogetter.Config) { c.Dir = parent })
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(pkg.Location, parent) || !strings.HasPrefix(pkg.Location, "git::file://") {
		t.Errorf("the location is %s, where nobody can look later", pkg.Location)
	}
	if info, err := os.Stat(below(t, parent, ".")[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("others can look into it: %v, %v", info.Mode(), err)
	}
	if git := below(t, parent, "repository-*/git"); len(git) != 0 {
		t.Errorf("the objects are still there: %v", git)
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	if left := below(t, parent, "."); len(left) != 0 {
		t.Errorf("left after Close is %v", left)
	}
	if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("error is %v, want fs.ErrClosed", err)
	}
}

// An installer links to directories that a source names.
func TestPackagesOfARepositoryAreArchives(t *testing.T) {
	t.Parallel()
	mirror, parent := mirrorDir(t, registrytest.Unpacked), t.TempDir()
	source := newRepo(t, mirror).open(t, "", func(c *gogetter.Config) { c.Dir = parent })
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if pkg.Content.Dir != "" {
		t.Fatalf("content is the directory %s, which will go", pkg.Content.Dir)
	}
	body, size, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	want, err := hashing.Dir(t.Context(), filepath.Join(mirror, filepath.FromSlash(home), "1.0.0", linux.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := hashing.Zip(t.Context(), bytes.NewReader(data), size); err != nil || got != want {
		t.Errorf("the archive has %s, %v, want %s of the directory", got, err, want)
	}
	if left := below(t, parent, "file-*"); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

func TestRepositoriesHaveLimits(t *testing.T) {
	t.Parallel()
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	slow, _ := spy(t, "[ \"$1\" != fetch ] || sleep 60")
	for name, test := range map[string]struct {
		edit func(*gogetter.Config)
		want error
	}{
		"size": {func(c *gogetter.Config) { c.MaxRepository = 100 }, sources.ErrTooLarge},
		"time": {func(c *gogetter.Config) { c.Git, c.RepositoryTimeout = slow, 50*time.Millisecond }, sources.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := r.open(t, "", test.edit).Versions(t.Context(), rocket); !errors.Is(err, test.want) {
				t.Errorf("error is %v, want one of kind %v", err, test.want)
			}
		})
	}
}

func TestAFetchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	slow, _ := spy(t, "[ \"$1\" != fetch ] || sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := r.open(t, "", func(c *gogetter.Config) { c.Git = slow }).Versions(ctx, rocket)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 5*time.Second {
		t.Errorf("after %v error is %v", time.Since(begin), err)
	}
}

func TestWithoutGit(t *testing.T) {
	t.Parallel()
	_, err := open(t, gogetter.Config{Address: "git::https://git.example.com/x.git", Git: filepath.Join(t.TempDir(), "git")}).Versions(t.Context(), rocket)
	if err == nil || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error is %v", err)
	}
}

func TestDirectoriesOfKilledProcessesAreSwept(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dead := filepath.Join(parent, "gogetter-dead")
	if err := errors.Join(os.MkdirAll(dead, 0o700), os.WriteFile(filepath.Join(dead, "lock"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	b := mirrorDir(t, registrytest.Packed)
	r := newRepo(t, b)
	alive := r.open(t, "", func(c *gogetter.Config) { c.Dir = parent })
	listed(t, alive)
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead one is still there: %v", err)
	}
	listed(t, r.open(t, "", func(c *gogetter.Config) { c.Dir = parent }))
	pkg, err := alive.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatalf("the living one was swept: %v", err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}
