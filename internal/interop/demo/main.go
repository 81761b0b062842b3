// Command demo runs a command in an environment whose registry is a test registry behind a slow link, with providers of
// some size: to see what the program looks like at work.
//
//	go run ./demo -speed 20 sh
//
// In that environment, hashicorp/alpha, hashicorp/beta and acme/rocket can be installed. The working directory is an empty one
// with a module that requires them.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const module = `terraform {
  required_providers {
    alpha  = { source = "hashicorp/alpha", version = "~> 3.1" }
    beta   = { source = "hashicorp/beta", version = ">= 0.4" }
    rocket = { source = "registry.example.com/acme/rocket", version = "~> 1.2" }
  }
}
`

func main() {
	speed := flag.Int64("speed", 20, "of each connection, in MB/s")
	flag.Parse()
	if err := run(*speed<<20, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(speed int64, command []string) error {
	link := slowlink.Link{Delay: 10 * time.Millisecond, BytesPerSecond: speed}
	srv, err := registrytest.Start(registrytest.Config{
		Releases: []registrytest.Release{
			{Provider: "hashicorp/alpha", Version: "3.1.0", Size: 120 << 20},
			{Provider: "hashicorp/beta", Version: "0.4.2", Size: 30 << 20},
			{Provider: "acme/rocket", Version: "1.2.3", Size: 400 << 20},
		},
		WrapListener: func(l net.Listener) net.Listener { return link.Listen(l) },
	})
	if err != nil {
		return err
	}
	defer srv.Close()
	home, err := os.MkdirTemp("", "demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	env, err := srv.EnvironConfig(home, srv.CLIConfig())
	if err != nil {
		return err
	}
	dir := filepath.Join(home, "module")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(module), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), env...), "HOME="+home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
