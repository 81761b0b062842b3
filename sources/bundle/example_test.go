package bundle_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Where there is a network, a provider is fetched, verified and put into a file.
func ExampleWriter() {
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
	registry := direct.New(direct.Config{
		Client:   srv.Client(),
		Services: map[sources.Host]map[string]string{rocket.Host(): srv.HostServices("registry.example.com")},
	})
	in := &installer.Installer{Source: registry, Dir: scratch}
	archive, err := in.Fetch(context.Background(), rocket, version, sources.Platform{OS: "linux", Arch: "amd64"}, filepath.Join(scratch, "rocket.zip"))
	if err != nil {
		log.Fatal(err)
	}

	w, err := bundle.Create(filepath.Join(scratch, "providers.tar"))
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	pushed, err := w.Push(context.Background(), sources.Release{
		Provider:  rocket,
		Version:   version,
		Archives:  []sources.Archive{archive.Publishable()},
		Statement: archive.Statement,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Commit(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("added", pushed.Added, "signed", pushed.Signed)
	// Output:
	// added [linux_amd64] signed true
}

// Where there is no network, the file is verified, and installed from.
func ExampleBundle() {
	scratch, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(scratch)
	path, fingerprint := exampleBundle(scratch) // carried here by somebody

	b, err := bundle.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	report, err := b.Verify(context.Background(), bundle.VerifyOptions{Signers: []string{fingerprint}})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range report.Items {
		fmt.Println(item.Provider, item.Version, item.Platforms, "signed by", item.Signer.Identity)
	}

	in := &installer.Installer{
		Source:   b,
		Dir:      filepath.Join(scratch, "providers"),
		Platform: sources.Platform{OS: "linux", Arch: "amd64"},
		Policy:   installer.Policy{Signers: []string{fingerprint}},
	}
	pkg, err := in.Get(context.Background(), "registry.example.com/acme/rocket", "~> 1.0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("installed", filepath.Base(pkg.Executable), "which is", pkg.Proof.Authority)
	// Output:
	// registry.example.com/acme/rocket 1.0.0 [linux_amd64] signed by Acme
	// installed terraform-provider-rocket_v1.0.0 which is signed
}
