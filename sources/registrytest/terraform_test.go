package registrytest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestCLIConfig(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Token: `a"b${c}`})
	want := `host "one.example.com" {
  services = {
    "providers.v1" = "https://HOST/at/one.example.com/v1/providers/"
  }
}
credentials "one.example.com" {
  token = "a\"b$${c}"
}
`
	if got := s.CLIConfig("one.example.com"); got != strings.Replace(want, "HOST", s.Host(), 1) {
		t.Errorf("got:\n%s", got)
	}
}

func TestCLIConfigCoversAllHostsThatMatter(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "one.example.com/acme/alpha", Version: "1.0.0"},
		{Provider: "one.example.com/acme/alpha", Version: "1.1.0"},
	}})
	config := s.CLIConfig()
	for _, host := range []string{"one.example.com", "registry.example.com", "registry.terraform.io", "registry.opentofu.org"} {
		if strings.Count(config, "host \""+host+"\" {") != 1 {
			t.Errorf("%s is not there once in:\n%s", host, config)
		}
	}
	if strings.Contains(config, "credentials") {
		t.Error("there are credentials without a token")
	}
}

func TestEnvironNeedsADirectory(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	if _, err := s.Environ(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a directory that is not there was accepted")
	}
}

const module = `terraform {
  required_providers {
    alpha = {
      source = "registry.example.com/acme/alpha"
    }
  }
}
`

// runInit runs "terraform init" or "tofu init" in a new module that requires acme/alpha and returns the module's directory.
func runInit(t *testing.T, program string, s *registrytest.Server) (dir, output string, err error) {
	t.Helper()
	return runClient(t, program, s, s.CLIConfig(), "init", "-input=false", "-no-color")
}

// runClient runs terraform or tofu in such a module with a CLI configuration.
func runClient(t *testing.T, program string, s *registrytest.Server, config string, args ...string) (dir, output string, err error) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("SSL_CERT_FILE does not work here")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	environ, err := s.EnvironConfig(t.TempDir(), config)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	return dir, string(out), err
}

func TestRealClientsInstallFromTheServer(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"terraform", "tofu"} {
		for name, cfg := range map[string]registrytest.Config{
			"plain":   {Releases: []registrytest.Release{{Provider: "acme/alpha", Version: "1.2.3", Packages: true, Manifest: true}}},
			"private": {Releases: []registrytest.Release{{Provider: "registry.example.com/acme/alpha", Version: "1.2.3"}}, Token: "secret"},
		} {
			t.Run(program+" "+name, func(t *testing.T) {
				t.Parallel()
				s := registrytest.New(t, cfg)
				dir, output, err := runInit(t, program, s)
				if err != nil {
					t.Fatalf("%v:\n%s", err, output)
				}
				lock, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
				if err != nil || !strings.Contains(string(lock), `version = "1.2.3"`) {
					t.Errorf("lock file: %v\n%s", err, lock)
				}
				var downloads int
				for _, r := range s.Requests() {
					if r.Kind == registrytest.KindArchive && r.Method == "GET" { // there may be a HEAD before it
						downloads++
					}
				}
				if downloads != 1 {
					t.Errorf("%d downloads in %+v", downloads, s.Requests())
				}
			})
		}
	}
}

func TestRealClientsNoticeFaults(t *testing.T) {
	t.Parallel()
	stranger := newSigner(t, registrytest.SignerOptions{})
	for name, tt := range map[string]struct {
		fault registrytest.Fault
		says  string // in terraform's own words, in lower case
	}{
		"wrong hash":   {registrytest.Fault{WrongHash: true}, "checksum"},
		"wrong signer": {registrytest.Fault{WrongSigner: stranger}, "unknown issuer"},
		"truncated":    {registrytest.Fault{Kind: registrytest.KindArchive, TruncateAt: 1000}, "checksum"},
		"forbidden":    {registrytest.Fault{Kind: registrytest.KindVersions, Status: 403}, "credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := registrytest.New(t, registrytest.Config{
				Releases: []registrytest.Release{{Provider: "acme/alpha", Version: "1.2.3"}},
				Faults:   []registrytest.Fault{tt.fault},
			})
			_, output, err := runInit(t, "terraform", s)
			words := strings.Join(strings.Fields(strings.ToLower(output)), " ") // terraform wraps its lines
			if err == nil || !strings.Contains(words, tt.says) {
				t.Errorf("error %v, and nothing about %q in:\n%s", err, tt.says, output)
			}
		})
	}
}
