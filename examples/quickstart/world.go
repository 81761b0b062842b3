package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The publishers of the providers.
const (
	acme    = "registry.example.com/acme"
	orbital = "registry.example.com/orbital"
)

// startRegistry starts a registry on a port of this machine, with two publishers and three providers. It is a network
// mirror as well.
func startRegistry() (*registrytest.Server, error) {
	acmeKey, err := registrytest.NewSigner("Acme Corporation", registrytest.SignerOptions{})
	if err != nil {
		return nil, err
	}
	orbitalKey, err := registrytest.NewSigner("Orbital Systems", registrytest.SignerOptions{Subkey: true})
	if err != nil {
		return nil, err
	}
	release := func(provider, version string, signer *registrytest.Signer) registrytest.Release {
		return registrytest.Release{Provider: provider, Version: version, Signer: signer, Manifest: true}
	}
	return registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		release(acme+"/rocket", "1.4.0", acmeKey),
		release(acme+"/rocket", "1.5.2", acmeKey),
		release(acme+"/rocket", "2.0.0-beta1", acmeKey),
		release(acme+"/rocket", "2.0.0", acmeKey),
		release(acme+"/anvil", "0.3.1", acmeKey),
		release(acme+"/anvil", "0.3.9", acmeKey),
		release(orbital+"/station", "7.2.0", orbitalKey),
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

// world is what stands in the directory before the tour begins.
type world struct {
	module string // directory of the module
	config string // CLI configuration file
}

// writeWorld writes a module, a filesystem mirror with one of the providers, a plugin cache, and the configuration.
func writeWorld(dir string, registry *registrytest.Server) (world, error) {
	w := world{module: filepath.Join(dir, "module"), config: filepath.Join(dir, "cli.tfrc")}
	mirror, cache := filepath.Join(dir, "mirror"), filepath.Join(dir, "plugin-cache")
	for _, dir := range []string{w.module, mirror, cache} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return w, err
		}
	}
	if err := registry.WriteMirror(mirror, registrytest.Packed, orbital+"/station"); err != nil {
		return w, err
	}
	config := registry.CLIConfig("registry.example.com") + registry.InstallationConfig(
		registrytest.Method{Type: registrytest.MethodDirect, Include: []string{acme + "/rocket"}},
		registrytest.Method{Type: registrytest.MethodNetworkMirror, Include: []string{acme + "/anvil"}},
		registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: mirror, Include: []string{orbital + "/*"}},
	) + fmt.Sprintf("plugin_cache_dir = %q\n", filepath.ToSlash(cache))
	return w, errors.Join(
		os.WriteFile(filepath.Join(w.module, "versions.tf"), []byte(versionsFile), 0o644),
		os.WriteFile(w.config, []byte(config), 0o600),
	)
}
