package interop_test

import (
	"os"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// hosts are those that the test registries play.
var hosts = []string{"bücher.example.com", "registry.example.com", "registry.opentofu.org", "registry.terraform.io"}

// world is a registry, and a client whose only configuration leads there.
type world struct {
	cli cli
	srv *registrytest.Server
	env []string // of the client's processes, and of ours
}

func newWorld(t *testing.T, c cli, cfg registrytest.Config) *world {
	t.Helper()
	srv := registrytest.New(t, cfg)
	home := t.TempDir()
	env, err := srv.Environ(home, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+home, "TMPDIR="+home, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	return &world{cli: c, srv: srv, env: env}
}

// add publishes more releases.
func (w *world) add(t *testing.T, releases ...registrytest.Release) {
	t.Helper()
	for _, release := range releases {
		if err := w.srv.Add(release); err != nil {
			t.Fatal(err)
		}
	}
}

// services are the registry's places for the hosts that it plays.
func (w *world) services() map[sources.Host]map[string]string {
	services := map[sources.Host]map[string]string{}
	for _, host := range hosts {
		services[sources.MustParseHost(host)] = w.srv.HostServices(host)
	}
	return services
}

// source is what the library asks.
func (w *world) source() sources.Source {
	return direct.New(direct.Config{Client: w.srv.Client(), Services: w.services()})
}

// init does for a module what the client does, with the client's default registry.
func (w *world) init(m *module) *client.Init {
	return &client.Init{Dir: m.dir, CacheDir: m.cache, Source: w.source(), Registry: w.cli.registry}
}

// flags are client.Main's for this world.
func (w *world) flags() []string {
	flags := []string{"-registry", w.cli.registry.String()}
	for _, host := range hosts {
		flags = append(flags, "-service", host+"="+w.srv.HostServices(host)["providers.v1"])
	}
	return flags
}

// downloads returns the number of archives that anyone began to download since the last reset.
func (w *world) downloads() int {
	downloads := 0
	for _, r := range w.srv.Requests() {
		if r.Kind == registrytest.KindArchive && r.Method == "GET" {
			downloads++
		}
	}
	return downloads
}
