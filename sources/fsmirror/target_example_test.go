package fsmirror_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A package that was fetched and verified gets into a directory that any client can install from.
func ExampleTarget() {
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "registry.example.com/acme/rocket", Version: "1.5.2", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	scratch, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(scratch)

	rocket, version := sources.MustParseProvider("registry.example.com/acme/rocket"), sources.MustParseVersion("1.5.2")
	linux := sources.Platform{OS: "linux", Arch: "amd64"}
	registry := direct.New(direct.Config{
		Client:   srv.Client(),
		Services: map[sources.Host]map[string]string{rocket.Host(): srv.HostServices("registry.example.com")},
	})
	in := &installer.Installer{Source: registry, Dir: scratch}
	archive, err := in.Fetch(context.Background(), rocket, version, linux, filepath.Join(scratch, "rocket.zip"))
	if err != nil {
		log.Fatal(err)
	}

	mirror := filepath.Join(scratch, "mirror")
	pushed, err := fsmirror.NewTarget(mirror).Push(context.Background(), sources.Release{
		Provider:  rocket,
		Version:   version,
		Archives:  []sources.Archive{archive.Publishable()},
		Statement: archive.Statement,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("added", pushed.Added, "signed", pushed.Signed)

	pkg, err := fsmirror.New(mirror).Package(context.Background(), rocket, version, linux)
	if err != nil {
		log.Fatal(err)
	}
	claims, err := pkg.Claims(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(pkg.Location), "is", claims.Package[0].Authority, "by", claims.Signer.Identity)
	// Output:
	// added [linux_amd64] signed true
	// terraform-provider-rocket_1.5.2_linux_amd64.zip is signed by registrytest
}
