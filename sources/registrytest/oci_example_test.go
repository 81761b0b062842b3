package registrytest_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Everything that the registry has, the OCI registry has, too, in the form that OpenTofu's oci_mirror wants.
func ExampleServer_OCIRepository() {
	s := startAlpha()
	defer s.Close()
	fmt.Println(strings.ReplaceAll(s.OCIRepository("acme/alpha"), s.Host(), "HOST"))
	resp, err := s.Client().Get(s.URL() + "/v2/mirror/acme/alpha/tags/list")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	tags, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", tags)
	// Output:
	// HOST/mirror/acme/alpha
	// {"name":"mirror/acme/alpha","tags":["1.0.0"]}
}

// The text that makes tofu install from the OCI registry, with the credentials that this one wants.
func ExampleServer_OCITemplate() {
	s, err := registrytest.Start(registrytest.Config{OCI: registrytest.OCI{
		Repository: func(hostname, namespace, providerType string) string {
			return hostname + "/" + namespace + "-" + providerType
		},
		Auth: registrytest.OCIAuth{Scheme: registrytest.OCIBearer, Users: map[string]string{"ann": "secret"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	text := s.InstallationConfig(registrytest.Method{Type: registrytest.MethodOCIMirror, Include: []string{"registry.example.com/*/*"}})
	fmt.Print(strings.ReplaceAll(text, s.Host(), "HOST"))
	// Output:
	// provider_installation {
	//   oci_mirror {
	//     repository_template = "HOST/${hostname}/${namespace}-${type}"
	//     include = ["registry.example.com/*/*"]
	//   }
	// }
	// oci_credentials "HOST" {
	//   username = "ann"
	//   password = "secret"
	// }
}
