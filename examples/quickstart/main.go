// Command quickstart shows the main job of the library from beginning to end, without internet: it starts a server of its
// own, with several signed providers, and writes a CLI configuration by which each of them comes by another road: from
// the registry, from a network mirror, from a directory. It writes a module that requires them, selects versions,
// installs the packages through a shared cache, writes the dependency lock file, and does it all a second time to show
// that nothing is requested any more.
//
//	go run ./examples/quickstart            in a temporary directory
//	go run ./examples/quickstart -dir DIR   everything stays in DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func main() {
	dir := flag.String("dir", "", "keep everything in this directory (default: a temporary one, removed at the end)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, dir string) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "quickstart-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	registry, err := startRegistry()
	if err != nil {
		return err
	}
	defer registry.Close()

	world, err := writeWorld(dir, registry)
	if err != nil {
		return err
	}
	tour := &tour{report: report{out: out, base: dir}, registry: registry, world: world}
	for _, stop := range []func(context.Context) error{tour.configure, tour.resolve, tour.install, tour.again} {
		if err := stop(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tour is one walk through the library.
type tour struct {
	report
	world
	registry  *registrytest.Server
	installer *installer.Installer
}

// configure turns the CLI configuration into a chain of sources, and makes an installer that uses it.
func (t *tour) configure(context.Context) error {
	t.title("Where from? (cliconfig.Load)")
	if err := t.file(t.config); err != nil {
		return err
	}
	config, diags := cliconfig.Load(cliconfig.Environment{Variables: []string{"TF_CLI_CONFIG_FILE=" + t.config}}, cliconfig.Options{})
	if len(diags) > 0 {
		if err := cliconfig.WriteDiagnostics(t.out, diags, config.Files); err != nil {
			return err
		}
	}
	chain, err := config.Source(cliconfig.SourceOptions{Client: t.registry.Client()})
	if err != nil {
		return err
	}
	t.installer = &installer.Installer{
		Source:   chain,
		Dir:      filepath.Join(t.module, ".terraform", "providers"),
		CacheDir: config.PluginCacheDir,
	}
	return nil
}

// request is what the module asks for: its required_providers and its lock file, if there is one.
func (t *tour) request() (installer.Request, error) {
	module, err := required.Read(t.module, required.Options{})
	if err != nil {
		return installer.Request{}, err
	}
	locks, err := lockfile.Read(t.lockFile())
	return installer.Request{Requirements: module.Requirements, Locks: locks}, err
}

func (t *tour) lockFile() string { return filepath.Join(t.module, lockfile.Name) }

// resolve shows which versions would be installed, and why.
func (t *tour) resolve(ctx context.Context) error {
	t.title("Which versions? (Installer.Resolve)")
	request, err := t.request()
	if err != nil {
		return err
	}
	resolution, err := t.installer.Resolve(ctx, request)
	if err != nil {
		return err
	}
	for _, selection := range resolution.Selections {
		t.selection(selection)
	}
	t.requests(t.registry)
	return nil
}

// get installs what the module asks for.
func (t *tour) get(ctx context.Context) (*installer.Result, error) {
	request, err := t.request()
	if err != nil {
		return nil, err
	}
	return t.installer.Install(ctx, request)
}

// install installs, and writes the lock file.
func (t *tour) install(ctx context.Context) error {
	t.title("Get them. (Installer.Install)")
	result, err := t.get(ctx)
	if err != nil {
		return err
	}
	for _, pkg := range result.Packages {
		t.pkg(pkg)
	}
	t.requests(t.registry)

	t.title("Lock them. (lockfile.Write)")
	if err := lockfile.Write(t.lockFile(), result.Locks); err != nil {
		return err
	}
	return t.file(t.lockFile())
}

// again installs into a fresh project directory, by the lock file and from the cache.
func (t *tour) again(ctx context.Context) error {
	t.title("Once more, in a fresh checkout.")
	if err := os.RemoveAll(t.installer.Dir); err != nil {
		return err
	}
	result, err := t.get(ctx)
	if err != nil {
		return err
	}
	for _, pkg := range result.Packages {
		t.line("%s %s, %d bytes downloaded, proven %s", pkg.Provider.Type(), pkg.Version, pkg.Downloaded, proof(pkg.Proof))
	}
	t.requests(t.registry)
	return nil
}
