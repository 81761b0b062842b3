package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// terragruntConfig is a configuration file of the shape that Terragrunt's provider cache server has the clients read: a
// plugin cache, hosts whose registry is elsewhere, and methods in quotes, each with both lists even if they are empty.
// https://terragrunt.gruntwork.io/docs/features/provider-cache-server/
func terragruntConfig(srv *registrytest.Server, mirror, cache string) string {
	return fmt.Sprintf(`
disable_checkpoint = true
disable_checkpoint_signature = false
plugin_cache_dir = %q
plugin_cache_may_break_dependency_lock_file = false

host "registry.example.com" {
  services = {
    "providers.v1" = %q
  }
}

provider_installation {

  "filesystem_mirror" {
    path    = %q
    include = ["bücher.example.com/*/*"]
    exclude = []
  }

  "network_mirror" {
    url     = %q
    include = ["registry.terraform.io/*/*", "registry.opentofu.org/*/*"]
    exclude = []
  }

  "direct" {
    include = ["*/*/*"]
    exclude = ["registry.terraform.io/*/*", "registry.opentofu.org/*/*", "bücher.example.com/*/*"]
  }

}
`, filepath.ToSlash(cache), srv.HostServices("registry.example.com")["providers.v1"], filepath.ToSlash(mirror), srv.MirrorURL())
}

func TestAConfigurationLikeTerragrunts(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, mirror := newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{
			{Provider: "acme/rocket", Version: "1.2.3", Platforms: everywhere},
			{Provider: "hashicorp/alpha", Version: "0.1.0", Platforms: everywhere},
		}}), t.TempDir()
		if err := w.srv.WriteMirror(mirror, registrytest.Unpacked, idnRocket); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), ".terraformrc")
		if err := os.WriteFile(path, []byte(terragruntConfig(w.srv, mirror, t.TempDir())), 0o600); err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, "TF_CLI_CONFIG_FILE="+path)
		main := files{"main.tf": strings.Join([]string{"terraform {\n  required_providers {", requirement("local", idnRocket),
			requirement("mirrored", "hashicorp/alpha"), requirement("direct", rocket), "  }\n}\n"}, "\n")}

		ours := w.module(t, main)
		config, diags := cliconfig.Load(cliconfig.Environment{Variables: w.env, WorkingDir: ours.dir}, cliconfig.Options{Registry: c.registry})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		source, err := config.Source(cliconfig.SourceOptions{Client: w.srv.Client()})
		if err != nil {
			t.Fatal(err)
		}
		init := &client.Init{Dir: ours.dir, CacheDir: config.PluginCacheDir, Source: source, Registry: c.registry}
		if _, err := init.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkPackages(t, ours, "")
		asked := kinds(w.srv)
		for _, kind := range []registrytest.Kind{registrytest.KindMirrorIndex, registrytest.KindMirrorVersion, registrytest.KindVersions, registrytest.KindPackage} {
			if !slices.Contains(asked, kind) {
				t.Errorf("nobody asked for %s; the requests were %v", kind, asked)
			}
		}

		unchanged(t, ours, func() { withoutDownloads(t, w, func() { ours.run(t, "init", "-lockfile=readonly") }) })
		theirs := w.module(t, main)
		theirs.run(t, "init")
		for p, lock := range theirs.locks(t) { // of a mirror's hashes, the library keeps more
			got := ours.locks(t)[p]
			missing := slices.DeleteFunc(lock.Hashes, func(hash hashing.Hash) bool { return slices.Contains(got.Hashes, hash) })
			if got.Version != lock.Version || len(missing) > 0 {
				t.Errorf("%s: version %s, want %s; %v is missing", p, got.Version, lock.Version, missing)
			}
		}
	})
}

func requirement(name, source string) string {
	return fmt.Sprintf("    %s = {\n      source = %q\n    }", name, source)
}

// kinds returns the kind of each request.
func kinds(srv *registrytest.Server) []registrytest.Kind {
	var kinds []registrytest.Kind
	for _, r := range srv.Requests() {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}
