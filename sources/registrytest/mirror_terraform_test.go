package registrytest_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// installed runs init with the given methods and returns the lock file, or what the client said.
func installed(t *testing.T, program string, s *registrytest.Server, methods ...registrytest.Method) (lock, output string, err error) {
	t.Helper()
	config := s.CLIConfig() + s.InstallationConfig(methods...)
	dir, output, err := runClient(t, program, s, config, "init", "-input=false", "-no-color")
	if err != nil {
		return "", output, err
	}
	data, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
	return string(data), output, err
}

// mustInstall is installed for what must succeed.
func mustInstall(t *testing.T, program string, s *registrytest.Server, methods ...registrytest.Method) (lock string) {
	t.Helper()
	lock, output, err := installed(t, program, s, methods...)
	if err != nil || !strings.Contains(lock, `version = "1.0.0"`) {
		t.Fatalf("%v:\n%s\n%s", err, output, lock)
	}
	return lock
}

// here is acme/alpha 1.0.0 for the platform that the clients run on.
func here(change func(*registrytest.Release)) registrytest.Release {
	r := registrytest.Release{Provider: "acme/alpha", Version: "1.0.0"}
	change(&r)
	return r
}

func TestRealClientsInstallFromTheNetworkMirror(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg    registrytest.Config
		hashes []string
	}{
		"plain":        {},
		"token":        {cfg: registrytest.Config{MirrorToken: "secret"}},
		"other origin": {cfg: registrytest.Config{FilesHost: "localhost"}},
		"h1 only":      {hashes: []string{"h1"}},
		"zh only":      {hashes: []string{"zh"}},
		"no hashes":    {hashes: []string{}},
	} {
		for _, program := range []string{"terraform", "tofu"} {
			t.Run(name+" "+program, func(t *testing.T) {
				t.Parallel()
				cfg := tt.cfg
				cfg.Releases = []registrytest.Release{here(func(r *registrytest.Release) { r.MirrorHashes = tt.hashes })}
				s := registrytest.New(t, cfg)
				mustInstall(t, program, s, registrytest.Method{Type: registrytest.MethodNetworkMirror})
				for _, r := range s.Requests() {
					if !strings.HasPrefix(r.Path, "/mirror/registry.example.com/acme/alpha/") {
						t.Errorf("%s is not below the mirror", r.Path)
					}
					if r.Kind == registrytest.KindArchive && r.Authorization != "" {
						t.Error("the archive was requested with credentials")
					}
				}
			})
		}
	}
}

func TestRealClientsDistrustTheNetworkMirror(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hashes []string
		faults []registrytest.Fault
		says   string // in terraform's own words, in lower case
	}{
		"unknown hashes": {[]string{"h9"}, nil, "checksum formats"},
		"wrong archive":  {nil, []registrytest.Fault{{WrongHash: true}}, "checksum error"},
		"no such host":   {nil, []registrytest.Fault{{Kind: registrytest.KindMirrorIndex, Status: 404}}, "not found in any of the search locations"},
		"unauthorized":   {nil, []registrytest.Fault{{Kind: registrytest.KindMirrorIndex, Status: 401}}, "credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := registrytest.New(t, registrytest.Config{
				Releases: []registrytest.Release{here(func(r *registrytest.Release) { r.MirrorHashes = tt.hashes })},
				Faults:   tt.faults,
			})
			_, output, err := installed(t, "terraform", s, registrytest.Method{Type: registrytest.MethodNetworkMirror})
			words := strings.Join(strings.Fields(strings.ToLower(output)), " ") // terraform wraps its lines
			if err == nil || !strings.Contains(words, tt.says) {
				t.Errorf("error %v, and nothing about %q in:\n%s", err, tt.says, output)
			}
		})
	}
}

func TestRealClientsInstallFromAWrittenMirror(t *testing.T) {
	t.Parallel()
	for name, layout := range map[string]registrytest.Layout{"packed": registrytest.Packed, "unpacked": registrytest.Unpacked} {
		for _, program := range []string{"terraform", "tofu"} {
			t.Run(name+" "+program, func(t *testing.T) {
				t.Parallel()
				s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{here(func(*registrytest.Release) {})}})
				dir := written(t, s, layout, "registry.example.com/acme/alpha")
				mustInstall(t, program, s, registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: dir})
				if got := s.Count(""); got != 0 {
					t.Errorf("there were %d requests", got)
				}
			})
		}
	}
}

// TestRealClientsCombineAllMethods: one configuration with every method, of which the last has the package.
func TestRealClientsCombineAllMethods(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{
		Releases:    []registrytest.Release{here(func(*registrytest.Release) {})},
		Token:       "registry",
		MirrorToken: "mirror",
	})
	lock := mustInstall(t, "terraform", s,
		registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: t.TempDir()},
		registrytest.Method{Type: registrytest.MethodNetworkMirror, Exclude: []string{"registry.example.com/*/*"}},
		registrytest.Method{Include: []string{"registry.example.com/acme/*"}},
	)
	if !strings.Contains(lock, `"zh:`) {
		t.Errorf("the lock file has no hashes of a registry:\n%s", lock)
	}
	if mirror, direct := s.Count(registrytest.KindMirrorIndex), s.Count(registrytest.KindVersions); mirror != 0 || direct == 0 {
		t.Errorf("%d requests for mirror indexes, %d for versions", mirror, direct)
	}
}

// TestWrittenMirrorIsTerraforms compares with what "terraform providers mirror" makes of this very server.
func TestWrittenMirrorIsTerraforms(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	theirs := t.TempDir()
	_, output, err := runClient(t, "terraform", s, s.CLIConfig(),
		"providers", "mirror", "-platform=linux_amd64", "-platform=windows_arm64", theirs)
	if err != nil {
		t.Fatalf("%v:\n%s", err, output)
	}
	got, want := tree(t, written(t, s, registrytest.Packed, "registry.example.com/acme/alpha")), tree(t, theirs)
	if !maps.Equal(got, want) || len(got) != 4 {
		for name := range maps.Keys(want) {
			if strings.HasSuffix(name, ".json") {
				t.Logf("%s: got\n%s\nwant\n%s", name, got[name], want[name])
			}
		}
		t.Errorf("the mirrors differ; terraform's has %d files, this one %d", len(want), len(got))
	}
}
