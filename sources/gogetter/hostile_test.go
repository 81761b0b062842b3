package gogetter_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A link to a place outside would make that a package, and a file outside an archive.
func TestSymbolicLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not tested: links need privileges on Windows")
	}
	outside := mirrorDir(t, registrytest.Unpacked)
	r := newRepo(t, t.TempDir())
	const archive = "terraform-provider-rocket_3.0.0_linux_amd64.zip"
	for name, target := range map[string]string{
		"providers/registry.example.com/other":  filepath.Join(outside, "registry.example.com/acme"),
		"providers/" + home + "1.0.0":           filepath.Join(outside, home, "1.0.0"),
		"providers/" + home + "2.0.0/" + "x":    "/",
		"providers/" + home + archive:           "/etc/hostname",
		"links":                                 outside,
		"providers/" + home + "4.0.0/linux_386": "../../../../../../../../..",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(r.path(name)), 0o755), os.Symlink(target, r.path(name))); err != nil {
			t.Fatal(err)
		}
	}
	r.commit(t)
	source := r.open(t, "")
	if got := listed(t, source); !slices.Equal(got, []string{"3.0.0"}) {
		t.Errorf("versions are %v, want only the archive that is a link", got)
	}
	pkg, err := source.Package(t.Context(), rocket, sources.MustParseVersion("3.0.0"), linux)
	if err != nil {
		t.Fatal(err)
	}
	body, size, err := pkg.Content.Archive.Open(t.Context())
	if err != nil || size != int64(len("/etc/hostname")) {
		t.Errorf("the link became %d bytes, %v; want its target's name", size, err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	address := strings.Replace(r.address(""), "//providers", "//links", 1)
	if _, err := open(t, gogetter.Config{Address: address, Environ: gitEnv()}).Versions(t.Context(), rocket); err == nil || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("a mirror that is a link: error is %v", err)
	}
}

func TestSubmodulesAreNotFetched(t *testing.T) {
	t.Parallel()
	r, other := newRepo(t, t.TempDir()), newRepo(t, mirrorDir(t, registrytest.Packed))
	r.git(t, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", string(other), "providers/registry.example.com")
	r.commit(t)
	if _, err := r.open(t, "").Versions(t.Context(), rocket); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error is %v, want one of kind ErrNotFound", err)
	}
}

func TestSecretsAreNotArgumentsOrMessages(t *testing.T) {
	t.Parallel()
	program, calls := spy(t, "")
	source := open(t, gogetter.Config{Address: "git::https://me:s3cr3t@127.0.0.1:1/x.git?token=t0k3n", Git: program, Environ: gitEnv()})
	_, err := source.Versions(t.Context(), rocket)
	if !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("error is %v, want one of kind ErrUnavailable", err)
	}
	for _, text := range []string{err.Error(), source.String(), calls()} {
		if strings.Contains(text, "s3cr3t") || strings.Contains(text, "t0k3n") {
			t.Errorf("a secret is in %s", text)
		}
	}
}

// A program that is called by a hook has variables of git in its environment.
func TestVariablesOfOtherRepositoriesDoNotMatter(t *testing.T) {
	t.Parallel()
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	source := r.open(t, "", func(c *gogetter.Config) {
		c.Environ = append(c.Environ, "GIT_DIR=/nowhere", "GIT_WORK_TREE=/nowhere", "GIT_INDEX_FILE=/nowhere", "GIT_OBJECT_DIRECTORY=/nowhere",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.symlinks", "GIT_CONFIG_VALUE_0=true", "GIT_TERMINAL_PROMPT=1")
	})
	listed(t, source)
}

func TestHooksDoNotRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not tested: the hook is a shell script")
	}
	hooks, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(filepath.Join(hooks, "post-checkout"), []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	listed(t, r.open(t, "", func(c *gogetter.Config) {
		c.Environ = append(c.Environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0="+hooks)
	}))
	if _, err := os.Stat(ran); err == nil {
		t.Error("the hook has run")
	}
}
