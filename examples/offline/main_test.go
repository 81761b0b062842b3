package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestPrepareHereInstallThere(t *testing.T) {
	t.Parallel()
	author, err := registrytest.NewSigner("author", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"linux_amd64", "darwin_arm64", "windows_amd64"}
	srv := registrytest.New(t, registrytest.Config{Signer: author, Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.2.3", Platforms: names}, {Provider: "hashicorp/alpha", Version: "3.1.0", Platforms: names},
	}})
	path := filepath.Join(t.TempDir(), "providers.tar")
	var out bytes.Buffer
	wanted := []string{"registry.example.com/acme/rocket@~> 1.2", "registry.example.com/hashicorp/alpha"}
	if err := prepare(t.Context(), &out, direct.New(direct.Config{Client: srv.Client()}), path, wanted); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "for 3 platforms, signed by ["+author.Fingerprint()+"]") != 2 {
		t.Errorf("it said:\n%s", out.String())
	}
	srv.Close()

	out.Reset()
	if err := run(t.Context(), &out, append([]string{"install", path, t.TempDir(), author.Fingerprint()}, wanted...)); err != nil {
		t.Fatal(err)
	}
	for executable := range strings.Lines(out.String()) {
		if _, err := os.Stat(strings.TrimSpace(executable)); err != nil {
			t.Error(err)
		}
	}
	var refused *installer.PolicyError
	if err := install(t.Context(), &out, path, t.TempDir(), strings.Repeat("AB", 20), wanted); !errors.As(err, &refused) {
		t.Errorf("a stranger's key: %v", err)
	}
	if err := run(t.Context(), &out, []string{"install", path}); !errors.Is(err, errUsage) {
		t.Errorf("wrong usage: %v", err)
	}
}
