package netmirror_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A mirror is asked for providers of any host.
func ExampleNew() {
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.5.2", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()

	mirror, err := netmirror.New(netmirror.Config{URL: srv.MirrorURL(), Client: srv.Client()})
	if err != nil {
		log.Fatal(err)
	}
	listing, err := mirror.Versions(context.Background(), sources.MustParseProvider("registry.example.com/acme/rocket"))
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range listing.Versions {
		fmt.Println(a.Version)
	}
	// Output:
	// 1.5.2
}
