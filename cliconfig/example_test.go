package cliconfig_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
)

func ExampleParse() {
	config, diags := cliconfig.Parse([]byte(`
plugin_cache_dir = "/var/cache/terraform"

provider_installation {
  network_mirror {
    url     = "https://mirror.example.com/providers/"
    include = ["registry.terraform.io/*/*"]
  }
  direct {
    exclude = ["registry.terraform.io/*/*"]
  }
}
`), "terraform.rc", cliconfig.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	fmt.Println("cache:", config.PluginCacheDir)
	for _, method := range config.Methods {
		fmt.Println(method.Type.Name, method.Include, method.Exclude)
	}
	fmt.Println(config.Methods[0].Location.(cliconfig.NetworkMirror).URL)
	// Output:
	// cache: /var/cache/terraform
	// network_mirror [registry.terraform.io/*/*] []
	// direct [] [registry.terraform.io/*/*]
	// https://mirror.example.com/providers/
}

// A program that wants what terraform and tofu would use passes OSEnvironment; a test or a service passes values.
func ExampleLoad() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	text := []byte("provider_installation {\n  direct {}\n}\n")
	if err := os.WriteFile(filepath.Join(home, "rc"), text, 0o600); err != nil {
		log.Fatal(err)
	}

	env := cliconfig.Environment{WorkingDir: home, Variables: []string{"TF_CLI_CONFIG_FILE=rc", "TF_TOKEN_app_example_com=s3cr3t"}}
	config, diags := cliconfig.Load(env, cliconfig.Options{})
	if diags.HasErrors() {
		_ = cliconfig.WriteDiagnostics(os.Stderr, diags, config.Files)
		return
	}
	fmt.Println(config.Methods[0].Type.Name, config.Implied, config.Tokens)
	// Output: direct false map[app.example.com:(redacted)]
}

func ExampleConfig_Source() {
	config, diags := cliconfig.Parse([]byte(`provider_installation { direct { include = ["acme/*"] } }`), "rc", cliconfig.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	chain, err := config.Source(cliconfig.SourceOptions{UserAgent: "example/1.0"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chain)
	fmt.Println(chain[0].Matches(sources.MustParseProvider("acme/rocket")), chain[0].Matches(sources.MustParseProvider("hashicorp/aws")))
	// Output:
	// chain of the origin registry
	// true false
}

func ExampleConfig_Credentials() {
	config, _ := cliconfig.Parse([]byte(`credentials "app.example.com" { token = "s3cr3t" }`), "rc", cliconfig.Options{})
	token, err := config.Credentials().Token(context.Background(), sources.MustParseHost("app.example.com"))
	fmt.Println(token, token == "s3cr3t", err)
	// Output: (redacted) true <nil>
}

func ExampleWriteDiagnostics() {
	config, diags := cliconfig.Parse([]byte("provider_installation {\n  network_mirror {\n    url = \"http://mirror.example.com/\"\n  }\n}\n"), "/home/me/.tofurc", cliconfig.Options{})
	_ = cliconfig.WriteDiagnostics(os.Stdout, diags, config.Files)
	// Output:
	// ╷
	// │ Error: Invalid URL of a network mirror
	// │
	// │   on /home/me/.tofurc line 3:
	// │    3:     url = "http://mirror.example.com/"
	// │
	// │ "http://mirror.example.com/" is not the URL of a network mirror: that begins
	// │ with https:// and a host.
	// ╵
}

// House is what a block of a caller's own kind says.
type House struct{ Registry string }

// A program adds a kind of block by appending to the table.
func ExampleMethods() {
	methods := append(cliconfig.Methods(), cliconfig.MethodType{
		Name: "house_registry",
		Decode: func(b *cliconfig.Block) cliconfig.Location {
			return House{Registry: b.RequiredString("registry")}
		},
		Build: func(location cliconfig.Location, config *cliconfig.Config, opts cliconfig.SourceOptions) (sources.Source, error) {
			fmt.Println("all providers come from", location.(House).Registry)
			return direct.New(direct.Config{Credentials: opts.Credentials}), nil
		},
	})
	src := `provider_installation { house_registry { registry = "registry.acme.example" } }`
	config, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{Methods: methods})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	if _, err := config.Source(cliconfig.SourceOptions{}); err != nil {
		log.Fatal(err)
	}
	// Output: all providers come from registry.acme.example
}

func ExampleRepositoryTemplate_Address() {
	config, diags := cliconfig.Parse([]byte(`provider_installation {
  oci_mirror {
    repository_template = "ghcr.example/mirror/${namespace}_${type}"
    include             = ["registry.opentofu.org/*/*"]
  }
}`), "rc", cliconfig.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	mirror := config.Methods[0].Location.(cliconfig.OCIMirror)
	fmt.Println(mirror.Repository.Address(sources.MustParseProvider("hashicorp/aws")))
	// Output: ghcr.example mirror/hashicorp_aws <nil>
}
