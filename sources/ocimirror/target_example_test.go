package ocimirror_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Publish a package, as installer.Installer.Fetch has verified it, in a registry.
func ExampleTarget_Push() {
	srv, err := registrytest.Start(registrytest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	archive := []byte("a zip archive")
	path := filepath.Join(os.TempDir(), "terraform-provider-rocket_1.5.2_linux_amd64.zip")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)

	target, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: ocimirror.Config{
		Repository: func(p sources.Provider) (registry, repository string, err error) {
			return srv.Host(), "providers/" + p.Namespace() + "/" + p.Type(), nil
		},
		Client: srv.Client(),
	}})
	if err != nil {
		log.Fatal(err)
	}
	release := sources.Release{
		Provider: sources.MustParseProvider("registry.example.com/acme/rocket"),
		Version:  sources.MustParseVersion("1.5.2"),
		Archives: []sources.Archive{{
			Platform: sources.Platform{OS: "linux", Arch: "amd64"},
			Path:     path,
			Sum:      hashing.ZH(sha256.Sum256(archive)),
		}},
	}
	for range 2 {
		pushed, err := target.Push(context.Background(), release)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("added:", pushed.Added, "present:", pushed.Present, "bytes sent:", pushed.Uploaded.Bytes)
	}
	// Output:
	// added: [linux_amd64] present: [] bytes sent: 15
	// added: [] present: [linux_amd64] bytes sent: 0
}
