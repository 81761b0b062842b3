package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/purveyor-dev/purveyor/examples/harness"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const echo = "registry.example.com/acme/echo"

// fetcher gets a real provider from a test registry, so that nothing leaves the machine. Tests of one's own leave the
// Fetcher empty.
func fetcher(t *testing.T) (harness.Fetcher, *registrytest.Server) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "provider")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.FromSlash("../../internal/interop"), "-trimpath", "-o", path, "./provider")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	executable, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{Provider: echo, Version: "1.0.0", Executable: executable}}})
	return harness.Fetcher{Source: direct.New(direct.Config{Client: srv.Client()}), Cache: t.TempDir()}, srv
}

func TestSchema(t *testing.T) {
	f, srv := fetcher(t)
	pkg := f.Fetch(t, echo, "~> 1.0")
	types, err := harness.Schema(t.Context(), pkg.Executable)
	if err != nil || !slices.Equal(types, []string{"echo_note"}) {
		t.Errorf("the resource types are %v, %v", types, err)
	}
	srv.ResetRequests()
	f.Fetch(t, echo, "~> 1.0")
	if n := srv.Count(registrytest.KindArchive); n != 0 {
		t.Errorf("it was downloaded a second time, with %d requests", n)
	}
}

func TestWhatIsNoProvider(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := harness.Schema(t.Context(), filepath.Join(filepath.Dir(self), "absent")); err == nil {
		t.Error("no error for a program that is not there")
	}
}

// This is how tests written with terraform-plugin-testing get external providers from the cache.
func TestTerraformPluginTesting(t *testing.T) {
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("terraform is not on PATH: terraform-plugin-testing was not run")
	}
	f, srv := fetcher(t)
	f.Fetch(t, echo, "~> 1.0")
	srv.Close() // from here on, there is no registry

	harness.Offline(t, f.Cache)
	t.Setenv("TF_ACC_TERRAFORM_PATH", terraform)
	resource.UnitTest(t, resource.TestCase{
		ExternalProviders: map[string]resource.ExternalProvider{"echo": {Source: echo, VersionConstraint: "~> 1.0"}},
		Steps: []resource.TestStep{{
			Config: `resource "echo_note" "it" { text = "hear, hear" }`,
			Check:  resource.TestCheckResourceAttr("echo_note.it", "loud", "HEAR, HEAR"),
		}},
	})
}
