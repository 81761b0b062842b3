package gogetter_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A mirror in a directory; one in an object store or a repository differs by its address only.
func ExampleNew() {
	dir, err := exampleMirror()
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	source, err := gogetter.New(gogetter.Config{Address: "file://" + dir})
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	listing, err := source.Versions(context.Background(), sources.MustParseProvider("registry.example.com/acme/rocket"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listing.Versions[0].Version)
	// Output: 1.2.3
}

// A program makes the block known by adding a row to the table of methods.
func ExampleMirrors() {
	var mirrors gogetter.Mirrors
	defer mirrors.Close()

	config, diags := cliconfig.Parse([]byte(`
provider_installation {
  go_getter_mirror {
    address = "s3::https://s3.eu-central-1.amazonaws.com/acme-providers?aws_profile=mirror"
    include = ["*/*/*"]
  }
}`), "terraform.rc", cliconfig.Options{Methods: append(cliconfig.Methods(), mirrors.Method())})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	chain, err := config.Source(cliconfig.SourceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chain[0].Source)
	// Output: go-getter mirror s3::https://s3-eu-central-1.amazonaws.com/acme-providers?…
}

// exampleMirror writes a mirror with one package.
func exampleMirror() (string, error) {
	dir, err := os.MkdirTemp("", "mirror")
	if err != nil {
		return "", err
	}
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "registry.example.com/acme/rocket", Version: "1.2.3"},
	}})
	if err != nil {
		return "", err
	}
	defer srv.Close()
	return dir, srv.WriteMirror(dir, registrytest.Packed)
}
