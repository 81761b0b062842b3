// Command customsource installs a provider from a source of its own, with a block of its own in the CLI configuration:
//
//	go run ./examples/customsource CONFIG DIR ADDRESS[@CONSTRAINT]
//
// where CONFIG is a file like
//
//	provider_installation {
//	  drop_directory {
//	    path    = "/srv/builds"
//	    include = ["registry.example.com/acme/*"]
//	  }
//	  direct {
//	    exclude = ["registry.example.com/acme/*"]
//	  }
//	}
//
// source.go is all that it takes.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: customsource CONFIG DIR ADDRESS[@CONSTRAINT]")
		os.Exit(2)
	}
	executable, err := install(context.Background(), os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, "customsource:", err)
		os.Exit(1)
	}
	fmt.Println(executable)
}

// install returns the path of the provider's executable.
func install(ctx context.Context, config, dir, requirement string) (string, error) {
	env := cliconfig.Environment{Variables: []string{"TF_CLI_CONFIG_FILE=" + config}}
	settings, _ := cliconfig.Load(env, cliconfig.Options{Methods: append(cliconfig.Methods(), dropDirectory)})
	chain, err := settings.Source(cliconfig.SourceOptions{})
	if err != nil {
		return "", err
	}
	address, constraint, _ := strings.Cut(requirement, "@")
	pkg, err := (&installer.Installer{Source: chain, Dir: dir}).Get(ctx, address, constraint)
	if err != nil {
		return "", err
	}
	return pkg.Executable, nil
}
