package main

import (
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// startRegistry starts a registry on a port of this machine, with two publishers and three providers.
func startRegistry() (*registrytest.Server, error) {
	acme, err := registrytest.NewSigner("Acme Corporation", registrytest.SignerOptions{})
	if err != nil {
		return nil, err
	}
	orbital, err := registrytest.NewSigner("Orbital Systems", registrytest.SignerOptions{Subkey: true})
	if err != nil {
		return nil, err
	}
	release := func(provider, version string, signer *registrytest.Signer) registrytest.Release {
		return registrytest.Release{Provider: provider, Version: version, Signer: signer, Manifest: true}
	}
	return registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		release("acme/rocket", "1.4.0", acme),
		release("acme/rocket", "1.5.2", acme),
		release("acme/rocket", "2.0.0-beta1", acme),
		release("acme/rocket", "2.0.0", acme),
		release("acme/anvil", "0.3.1", acme),
		release("acme/anvil", "0.3.9", acme),
		release("orbital/station", "7.2.0", orbital),
	}})
}

// versionsFile is what the module requires.
const versionsFile = `terraform {
  required_providers {
    rocket = {
      source  = "registry.example.com/acme/rocket"
      version = "~> 1.4"
    }
    anvil = {
      source  = "registry.example.com/acme/anvil"
      version = ">= 0.3.0, != 0.3.9"
    }
    station = {
      source = "registry.example.com/orbital/station"
    }
  }
}
`

func writeModule(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "versions.tf"), []byte(versionsFile), 0o644)
}
