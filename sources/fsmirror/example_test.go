package fsmirror_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A mirror directory is a source like any other.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "registry.example.com/acme/rocket", Version: "1.5.2", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	if err := srv.WriteMirror(dir, registrytest.Packed); err != nil {
		log.Fatal(err)
	}

	mirror := fsmirror.New(dir)
	listing, err := mirror.Versions(context.Background(), sources.MustParseProvider("registry.example.com/acme/rocket"))
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range listing.Versions {
		fmt.Println(a.Version, a.Platforms)
	}
	// Output:
	// 1.5.2 [linux_amd64]
}
