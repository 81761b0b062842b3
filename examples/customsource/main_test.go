package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

const rocket = "registry.example.com/acme/rocket"

// fill puts archives of two versions into a directory, as a build would.
func fill(t *testing.T) string {
	t.Helper()
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: rocket, Version: "1.0.0"}, {Provider: rocket, Version: "1.2.0"},
	}})
	mirror, dir := t.TempDir(), t.TempDir()
	if err := srv.WriteMirror(mirror, registrytest.Packed); err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(mirror, filepath.FromSlash(rocket), "*.zip"))
	if err != nil || len(archives) != 2 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		if err := os.Rename(archive, filepath.Join(dir, filepath.Base(archive))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestItKeepsTheRulesOfSources(t *testing.T) {
	t.Parallel()
	var fixture sourcetest.Fixture
	for _, v := range []string{"1.0.0", "1.2.0"} {
		fixture.Packages = append(fixture.Packages, sourcetest.Package{
			Provider: sources.MustParseProvider(rocket), Version: sources.MustParseVersion(v), Platform: sources.CurrentPlatform(),
		})
	}
	if err := sourcetest.TestSource(t.Context(), drop{fill(t)}, fixture); err != nil {
		t.Error(err)
	}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.tfrc")
	text := "provider_installation {\n  drop_directory {\n    path = " + "\"" + filepath.ToSlash(fill(t)) + "\"\n  }\n}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	executable, err := install(t.Context(), config, t.TempDir(), rocket+"@~> 1.0")
	if err != nil || !strings.HasSuffix(executable, "v1.2.0") && !strings.HasSuffix(executable, "v1.2.0.exe") {
		t.Fatalf("%q, %v", executable, err)
	}
	if out, err := exec.CommandContext(t.Context(), executable).CombinedOutput(); errors.Is(err, os.ErrPermission) {
		t.Errorf("it cannot be started: %v, %s", err, out)
	}
	var absent *installer.ProviderError
	if _, err := install(t.Context(), config, t.TempDir(), "acme/unknown"); !errors.As(err, &absent) || !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("a provider that is not there: %v", err)
	}
}

func TestABlockWithoutPath(t *testing.T) {
	t.Parallel()
	_, diags := cliconfig.Parse([]byte("provider_installation {\n  drop_directory {\n  }\n}\n"), "test.tfrc",
		cliconfig.Options{Methods: append(cliconfig.Methods(), dropDirectory)})
	if !diags.HasErrors() {
		t.Error("no error for a block without path")
	}
}
