package lockfile_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
)

// TestTerraformReadsAndWritesTheSame lets a real terraform install from a filesystem mirror, without a network.
func TestTerraformReadsAndWritesTheSame(t *testing.T) {
	t.Parallel()
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("terraform is not on PATH: nothing to compare with")
	}
	p := newProject(t, terraform)
	path := filepath.Join(p.dir, lockfile.Name)

	p.writeLock(t, p.hash, "zh:0000000000000000000000000000000000000000000000000000000000000000", "h9:unknown")
	if out, err := p.init(t, "-lockfile=readonly"); err != nil {
		t.Errorf("terraform refuses our file: %v\n%s", err, out)
	}

	p.writeLock(t, "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if out, err := p.init(t, "-lockfile=readonly"); err == nil {
		t.Errorf("terraform does not mind a wrong hash:\n%s", out)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if out, err := p.init(t); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	theirs := text(t, path)
	locks, err := lockfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(body(theirs), body(string(lockfile.Format(locks)))); diff != "" {
		t.Errorf("file (-terraform +purveyor):\n%s", diff)
	}
	if err := lockfile.Write(path, locks); err != nil || text(t, path) != theirs {
		t.Errorf("terraform's file was rewritten: %v", err)
	}
}

// body returns a file without its first line, which names the program.
func body(file string) string {
	_, rest, _ := strings.Cut(file, "\n")
	return rest
}

// project is a configuration that requires one provider, and a mirror that has it.
type project struct {
	terraform, dir, config string
	hash                   hashing.Hash
}

func newProject(t *testing.T, terraform string) *project {
	t.Helper()
	p := &project{terraform: terraform, dir: t.TempDir(), config: filepath.Join(t.TempDir(), "terraform.rc")}
	mirror := t.TempDir()
	provider, v := sources.MustParseProvider("registry.example.com/acme/rocket"), lock("1.2.3", "").Version
	archive := filepath.Join(mirror, filepath.FromSlash(sources.ArchivePath(provider, v, sources.CurrentPlatform())))
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		t.Fatal(err)
	}
	contents := zipped(t, "terraform-provider-rocket_v1.2.3", "not a program")
	create(t, archive, string(contents))
	create(t, p.config, fmt.Sprintf("disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
	create(t, filepath.Join(p.dir, "main.tf"), `terraform {
  required_providers {
    rocket = {
      source  = "registry.example.com/acme/rocket"
      version = "~> 1.2, != 1.2.4"
    }
  }
}
`)
	var err error
	if p.hash, _, err = hashing.Zip(t.Context(), bytes.NewReader(contents), int64(len(contents))); err != nil {
		t.Fatal(err)
	}
	return p
}

func zipped(t *testing.T, name, contents string) []byte {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: name}
	header.SetMode(0o755)
	w, err := archive.CreateHeader(header)
	if err == nil {
		_, err = w.Write([]byte(contents))
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeLock locks the provider to these hashes, and forgets what was installed.
func (p *project) writeLock(t *testing.T, hashes ...hashing.Hash) {
	t.Helper()
	err := lockfile.Write(filepath.Join(p.dir, lockfile.Name), installer.Locks{
		sources.MustParseProvider("registry.example.com/acme/rocket"): lock("1.2.3", "~> 1.2, != 1.2.4", hashes...),
	})
	if err == nil {
		err = os.RemoveAll(filepath.Join(p.dir, ".terraform"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *project) init(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.terraform, append([]string{"init", "-no-color"}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+p.config, "TF_DATA_DIR=", "TF_PLUGIN_CACHE_DIR=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
