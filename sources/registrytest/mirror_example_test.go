package registrytest_test

import (
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// startAlpha starts a server with one small provider.
func startAlpha() *registrytest.Server {
	s, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// Everything that the registry has, the network mirror has, too.
func ExampleServer_MirrorURL() {
	s := startAlpha()
	defer s.Close()
	resp, err := s.Client().Get(s.MirrorURL() + "registry.example.com/acme/alpha/index.json")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	index, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", index)
	// Output: {"versions":{"1.0.0":{}}}
}

// A directory that filesystem_mirror can name, or that any web server can serve as a network mirror.
func ExampleServer_WriteMirror() {
	s := startAlpha()
	defer s.Close()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := s.WriteMirror(dir, registrytest.Packed, "registry.example.com/acme/alpha"); err != nil {
		log.Fatal(err)
	}
	files, err := fs.Glob(os.DirFS(dir), "*/*/*/*")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(files, "\n"))
	// Output:
	// registry.example.com/acme/alpha/1.0.0.json
	// registry.example.com/acme/alpha/index.json
	// registry.example.com/acme/alpha/terraform-provider-alpha_1.0.0_linux_amd64.zip
}

// Some providers come from a directory, some from the network mirror, and the rest from their registries.
func ExampleServer_InstallationConfig() {
	s := startAlpha()
	defer s.Close()
	text := s.InstallationConfig(
		registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: "/srv/mirror"},
		registrytest.Method{Type: registrytest.MethodNetworkMirror, Include: []string{"registry.example.com/*/*"}},
		registrytest.Method{Type: registrytest.MethodDirect, Exclude: []string{"registry.example.com/*/*"}},
	)
	fmt.Print(strings.ReplaceAll(text, s.Host(), "127.0.0.1:PORT"))
	// Output:
	// provider_installation {
	//   filesystem_mirror {
	//     path = "/srv/mirror"
	//   }
	//   network_mirror {
	//     url = "https://127.0.0.1:PORT/mirror/"
	//     include = ["registry.example.com/*/*"]
	//   }
	//   direct {
	//     exclude = ["registry.example.com/*/*"]
	//   }
	// }
}

// A terraform or tofu process that installs from the network mirror only.
func ExampleServer_EnvironConfig() {
	s := startAlpha()
	defer s.Close()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text := s.CLIConfig() + s.InstallationConfig(registrytest.Method{Type: registrytest.MethodNetworkMirror})
	environ, err := s.EnvironConfig(dir, text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(environ), "variables")
	// Output: 3 variables
}
