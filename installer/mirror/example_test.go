package mirror_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The two latest versions of a provider get into a directory. When a newer one comes out, the oldest goes.
func ExampleBuilder() {
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.5.0", Platforms: []string{"darwin_arm64", "linux_amd64"}},
		{Provider: "acme/rocket", Version: "1.5.1", Platforms: []string{"darwin_arm64", "linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	registry := direct.New(direct.Config{
		Client:   srv.Client(),
		Services: map[sources.Host]map[string]string{sources.MustParseHost("registry.example.com"): srv.HostServices("registry.example.com")},
	})

	plan, err := mirror.ParsePlan([]byte(`
platforms = ["linux_amd64", "darwin_arm64"]

provider "registry.example.com/acme/rocket" {
  versions = "~> 1.5"
  latest   = 2
}
`), "mirror.hcl", mirror.PlanOptions{})
	if err != nil {
		log.Fatal(err)
	}
	builder := &mirror.Builder{Installer: &installer.Installer{Source: registry}, Target: fsmirror.NewTarget(dir)}
	for range 2 {
		report, err := builder.Build(context.Background(), plan)
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range report.Releases {
			fmt.Println(r.Version, r.Authority, "added", r.Added, "present", r.Present)
		}
		if err := srv.Add(registrytest.Release{Provider: "acme/rocket", Version: "1.5.2", Platforms: []string{"darwin_arm64", "linux_amd64"}}); err != nil {
			log.Fatal(err)
		}
	}
	removed, err := builder.Prune(context.Background(), plan)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range removed {
		fmt.Println(s.Version, "removed", s.Platforms)
	}
	// Output:
	// 1.5.1 signed added [darwin_arm64 linux_amd64] present []
	// 1.5.0 signed added [darwin_arm64 linux_amd64] present []
	// 1.5.2 signed added [darwin_arm64 linux_amd64] present []
	// 1.5.1 signed added [] present [darwin_arm64 linux_amd64]
	// 1.5.0 removed [darwin_arm64 linux_amd64]
}
