package ocimirror_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Providers of all hosts are in one registry, each in a repository of its own.
func ExampleNew() {
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.5.2", Platforms: []string{"linux_amd64"}},
		{Provider: "acme/rocket", Version: "1.6.0-rc1+build.7", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	mirror, err := ocimirror.New(ocimirror.Config{
		Repository: func(p sources.Provider) (registry, repository string, err error) {
			return srv.Host(), "mirror/" + p.Namespace() + "/" + p.Type(), nil
		},
		Client: srv.Client(),
	})
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
	// 1.6.0-rc1+build.7
}

// Credentials for a part of a registry come before those for all of it.
func ExampleKeychain() {
	keychain := &ocimirror.Keychain{Entries: []ocimirror.KeychainEntry{
		{Registry: "registry.example.com", Credential: ocimirror.Credential{Username: "everybody", Password: "1234"}},
		{Registry: "registry.example.com", Repository: "team-a", Credential: ocimirror.Credential{Username: "team-a", Password: "5678"}},
	}}
	for _, repository := range []string{"mirror/acme/rocket", "team-a/acme/rocket"} {
		credential, err := keychain.Credential(context.Background(), "registry.example.com", repository)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(repository, credential.Username, credential.Password)
	}
	// Output:
	// mirror/acme/rocket everybody (redacted)
	// team-a/acme/rocket team-a (redacted)
}
