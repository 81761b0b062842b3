// Command minimal is the program of the README.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
)

func main() {
	config, _ := cliconfig.Load(cliconfig.OSEnvironment(), cliconfig.Options{}) // ~/.tofurc, ~/.terraformrc, …; Source returns its errors
	source, err := config.Source(cliconfig.SourceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	in := &installer.Installer{Source: source, Dir: "providers"}
	pkg, err := in.Get(context.Background(), "hashicorp/random", "~> 3.6")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pkg.Executable) // verified, and there to be run
}
