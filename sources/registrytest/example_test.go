package registrytest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"testing/fstest"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// list prints the versions that a server offers for acme/alpha.
func list(s *registrytest.Server) {
	resp, err := s.Client().Get(s.Services()["providers.v1"] + "acme/alpha/versions")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		fmt.Println(resp.Status)
		return
	}
	var doc struct{ Versions []struct{ Version string } }
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		log.Fatal(err)
	}
	fmt.Println(doc.Versions)
}

// A registry needs no more than the names of what it offers.
func ExampleStart() {
	s, err := registrytest.Start(registrytest.Config{
		Releases: []registrytest.Release{
			{Provider: "acme/alpha", Version: "1.0.0"},
			{Provider: "acme/alpha", Version: "1.1.0", Platforms: []string{"linux_amd64", "darwin_arm64"}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	list(s)
	// Output: [{1.0.0} {1.1.0}]
}

// The files of packages can come from any file system.
func ExampleStart_files() {
	s, err := registrytest.Start(registrytest.Config{FS: fstest.MapFS{
		"acme/alpha/1.0.0/linux_amd64/terraform-provider-alpha_v1.0.0": {Data: []byte("a real provider")},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	list(s)
	// Output: [{1.0.0}]
}

// A test installs from the server, which answers for registry.example.com.
func ExampleServer_Client() {
	s, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.4.0"}}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	in := &installer.Installer{Source: direct.New(direct.Config{Client: s.Client()}), Dir: dir}
	pkg, err := in.Get(context.Background(), "registry.example.com/acme/rocket", "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pkg.Provider, pkg.Version, pkg.Proof.Authority)
	// Output:
	// registry.example.com/acme/rocket 1.4.0 signed
}

// Releases come and go while the server runs.
func ExampleServer_Add() {
	s, err := registrytest.Start(registrytest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Add(registrytest.Release{Provider: "acme/alpha", Version: "1.0.0"}); err != nil {
		log.Fatal(err)
	}
	list(s)
	s.Remove("acme/alpha", "1.0.0")
	list(s)
	// Output:
	// [{1.0.0}]
	// 404 Not Found
}

// The first request fails, the next one works.
func ExampleServer_AddFault() {
	s, err := registrytest.Start(registrytest.Config{
		Releases: []registrytest.Release{{Provider: "acme/alpha", Version: "1.0.0"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fault := registrytest.Fault{Kind: registrytest.KindVersions, Times: 1, Status: 429, RetryAfter: "1"}
	if err := s.AddFault(fault); err != nil {
		log.Fatal(err)
	}
	list(s)
	list(s)
	fmt.Println(s.Count(registrytest.KindVersions), "requests")
	// Output:
	// 429 Too Many Requests
	// [{1.0.0}]
	// 2 requests
}

// A release may be signed with a key that has expired since.
func ExampleNewSigner() {
	signer, err := registrytest.NewSigner("Acme, Inc.", registrytest.SignerOptions{Expired: true})
	if err != nil {
		log.Fatal(err)
	}
	release := registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Signer: signer}
	fmt.Println(release.Signer.Name(), len(signer.KeyID()))
	// Output: Acme, Inc. 16
}

// In a test, the server closes by itself.
func ExampleNew() {
	test := func(t registrytest.TB) { // really func TestSomething(t *testing.T)
		s := registrytest.New(t, registrytest.Config{
			Releases: []registrytest.Release{{Provider: "acme/alpha", Version: "1.0.0"}},
		})
		list(s)
	}
	t := new(quietTB)
	test(t)
	t.cleanup() // the testing package does this
	// Output: [{1.0.0}]
}

// quietTB stands for a *testing.T where there is none.
type quietTB struct{ cleanup func() }

func (*quietTB) Helper()               {}
func (*quietTB) Fatalf(string, ...any) {}
func (t *quietTB) Cleanup(f func())    { t.cleanup = f }

// The environment of a terraform or tofu process: cmd.Env = append(os.Environ(), environ...).
func ExampleServer_Environ() {
	s, err := registrytest.Start(registrytest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	environ, err := s.Environ(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		fmt.Println(name)
	}
	// Output:
	// SSL_CERT_FILE
	// TF_CLI_CONFIG_FILE
	// CHECKPOINT_DISABLE
}

// Any hostname can be mapped to the server.
func ExampleServer_CLIConfig() {
	s, err := registrytest.Start(registrytest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Print(strings.Replace(s.CLIConfig("registry.example.com"), s.Host(), "127.0.0.1:PORT", 1))
	// Output:
	// host "registry.example.com" {
	//   services = {
	//     "providers.v1" = "https://127.0.0.1:PORT/at/registry.example.com/v1/providers/"
	//   }
	// }
}
