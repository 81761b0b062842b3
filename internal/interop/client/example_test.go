package client_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func Example() {
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.2.3"},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	dir, err := os.MkdirTemp("", "module-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	const main = `terraform {
  required_providers {
    rocket = {
      source = "registry.example.com/acme/rocket"
    }
  }
}`
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(main), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	init := client.Init{Dir: dir, Source: direct.New(direct.Config{Client: srv.Client()})}
	result, err := init.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range result.Packages {
		fmt.Println(p.Selection.Provider, p.Selection.Version, p.Proof.Authority)
	}
	// Output:
	// registry.example.com/acme/rocket 1.2.3 signed
}
