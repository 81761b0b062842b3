// Command offline prepares providers where there is a network, and installs them where there is none:
//
//	go run ./examples/offline prepare FILE ADDRESS[@CONSTRAINT] …
//	go run ./examples/offline install FILE DIR FINGERPRINT ADDRESS[@CONSTRAINT] …
//
// What is between is one file, which carries what the providers' authors have signed. So whoever installs need not trust
// those who carried it: FINGERPRINT is the author's key.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// platforms are those of the machines without a network.
var platforms = []sources.Platform{{OS: "linux", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"}, {OS: "windows", Arch: "amd64"}}

var errUsage = errors.New("usage: offline prepare FILE ADDRESS[@CONSTRAINT] … | offline install FILE DIR FINGERPRINT ADDRESS[@CONSTRAINT] …")

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "offline:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "prepare":
		config, _ := cliconfig.Load(cliconfig.OSEnvironment(), cliconfig.Options{})
		source, err := config.Source(cliconfig.SourceOptions{})
		if err != nil {
			return err
		}
		return prepare(ctx, out, source, args[1], args[2:])
	case len(args) >= 5 && args[0] == "install":
		return install(ctx, out, args[1], args[2], args[3], args[4:])
	}
	return errUsage
}

// requirements reads ADDRESS[@CONSTRAINT] ….
func requirements(args []string) (installer.Requirements, error) {
	all := installer.Requirements{}
	for _, arg := range args {
		address, constraint, _ := strings.Cut(arg, "@")
		provider, err := sources.ParseProvider(address)
		if err != nil {
			return nil, err
		}
		if all[provider], err = sources.ParseConstraints(constraint); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// prepare writes a bundle.
func prepare(ctx context.Context, out io.Writer, from sources.Source, path string, args []string) error {
	required, err := requirements(args)
	if err != nil {
		return err
	}
	w, err := bundle.Create(path)
	if err != nil {
		return err
	}
	defer w.Close() // there is nothing at path unless Commit succeeds
	plan := mirror.ForRequirements(required)
	plan.Platforms = platforms
	report, err := (&mirror.Builder{Installer: &installer.Installer{Source: from}, Target: w}).Build(ctx, plan)
	if err != nil {
		return err
	}
	for _, r := range report.Releases {
		fmt.Fprintf(out, "%s %s for %d platforms, signed by %v\n", r.Provider, r.Version, len(r.Added), r.Signers)
	}
	return w.Commit(ctx)
}

// install installs from a bundle, and accepts only what the key has signed.
func install(ctx context.Context, out io.Writer, path, dir, fingerprint string, args []string) error {
	required, err := requirements(args)
	if err != nil {
		return err
	}
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	defer b.Close()
	in := &installer.Installer{Source: b, Dir: dir, Policy: installer.Policy{Signers: []string{fingerprint}}}
	result, err := in.Install(ctx, installer.Request{Requirements: required})
	if err != nil {
		return err
	}
	for _, pkg := range result.Packages {
		fmt.Fprintf(out, "%s\n", pkg.Executable)
	}
	return nil
}
