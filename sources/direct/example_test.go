package direct_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A test registry plays registry.example.com. For real registries, the zero Config will do.
func ExampleNew() {
	registry, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.2.3", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer registry.Close()
	source := direct.New(direct.Config{Client: registry.Client()})

	ctx := context.Background()
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	listing, err := source.Versions(ctx, rocket)
	if err != nil {
		log.Fatal(err)
	}
	newest := listing.Versions[0].Version
	pkg, err := source.Package(ctx, rocket, newest, sources.Platform{OS: "linux", Arch: "amd64"})
	if err != nil {
		log.Fatal(err)
	}
	claims, err := pkg.Claims(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(newest, pkg.Protocols)
	fmt.Println(pkg.Location)
	fmt.Println(claims.Package[0].Authority, "by", claims.Signer.Identity)
	// Output:
	// 1.2.3 [5.0]
	// https://registry.example.com/releases/acme/rocket/1.2.3/terraform-provider-rocket_1.2.3_linux_amd64.zip
	// signed by registrytest
}

// Credentials go to the host that they are for, and nowhere else.
func ExampleConfig_credentials() {
	registry, err := registrytest.Start(registrytest.Config{
		Token:    "s3cret",
		Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.2.3"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer registry.Close()
	source := direct.New(direct.Config{
		Client:      registry.Client(),
		Credentials: sources.StaticCredentials{sources.MustParseHost("registry.example.com"): "s3cret"},
	})
	listing, err := source.Versions(context.Background(), sources.MustParseProvider("registry.example.com/acme/rocket"))
	fmt.Println(listing.Versions[0].Version, err)
	// Output: 1.2.3 <nil>
}
