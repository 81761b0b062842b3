// Command wrapper runs terraform or tofu with providers that the library has installed, and without a network for them:
//
//	go run ./examples/wrapper terraform init
//	go run ./examples/wrapper terraform plan
//
// It reads what the module in the working directory requires, and its dependency lock file, installs exactly that from the
// sources of the CLI configuration, and records it. Then it starts the program whose name comes first with the rest of
// the command line. The program's init finds everything in the wrapper's directory and asks no registry: what runs is
// what was verified here, under the wrapper's policy.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// pluginDir is where the wrapper installs, in the layout of a filesystem mirror.
const pluginDir = ".terraform/wrapper"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: wrapper terraform|tofu COMMAND …")
		os.Exit(2)
	}
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			os.Exit(exit.ExitCode()) // the program has said why
		}
		fmt.Fprintln(os.Stderr, "wrapper:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program string, args []string) error {
	registry := registryOf(program)
	if args[0] == "init" { // what the modules require is known when they are there
		if err := start(ctx, program, "get"); err != nil {
			return err
		}
	}
	if err := install(ctx, registry); err != nil {
		return err
	}
	return start(ctx, program, args...)
}

// registryOf returns the host of addresses that name none: that is where the two programs differ.
func registryOf(program string) sources.Host {
	if strings.HasPrefix(filepath.Base(program), "terraform") {
		return sources.TerraformRegistry
	}
	return sources.OpenTofuRegistry
}

// install installs what the module here requires.
func install(ctx context.Context, registry sources.Host) error {
	config, _ := cliconfig.Load(cliconfig.OSEnvironment(), cliconfig.Options{Registry: registry})
	chain, err := config.Source(cliconfig.SourceOptions{})
	if err != nil {
		return err
	}
	module, err := required.Read(".", required.Options{Registry: registry, TerraformFiles: registry == sources.TerraformRegistry})
	if err != nil {
		return err
	}
	locks, err := lockfile.Read(lockfile.Name)
	if err != nil {
		return err
	}
	in := &installer.Installer{
		Source:   chain,
		Dir:      pluginDir,
		CacheDir: config.PluginCacheDir,
		Policy:   installer.Policy{}, // RequireSignature, or Signers, is what a company may want here
		Notify:   report,
	}
	result, err := in.Install(ctx, installer.Request{Requirements: module.Requirements, Locks: locks})
	if err != nil {
		return err
	}
	if result.Locks.Equal(locks) {
		return nil
	}
	return lockfile.Write(lockfile.Name, result.Locks)
}

// report says what is downloaded, and who vouches for it.
func report(e installer.Event) {
	switch e.Kind {
	case installer.EventFetching:
		fmt.Fprintf(os.Stderr, "wrapper: %s %s from %s\n", e.Provider, e.Version, e.Location)
	case installer.EventVerified:
		if e.Proof.Authority != hashing.Signed {
			fmt.Fprintf(os.Stderr, "wrapper: %s %s is not signed\n", e.Provider, e.Version)
		}
	}
}

// start runs the program, whose init takes providers from the wrapper's directory and from nowhere else.
func start(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it has states to unlock
	cmd.Env = append(os.Environ(), "TF_CLI_ARGS_init=-plugin-dir="+pluginDir+" "+os.Getenv("TF_CLI_ARGS_init"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
