package client

import (
	"context"
	"errors"
	"flag"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
)

// Main is [Init.Run] as a command line:
//
//	-dir DIR            the module; "." by default
//	-cache DIR          the shared plugin cache; none by default
//	-records DIR        where it is remembered what was verified; nowhere by default
//	-connections N      that bring one archive at a time; by default the installer decides
//	-registry HOST      of addresses that name none
//	-service HOST=URL   where that host's provider registry is, without asking the host; any number of times
//	-config             install from where the CLI configuration says, which is found as terraform and tofu find it
//
// Certificates come from where Go looks for them, on Linux the environment variable SSL_CERT_FILE.
func Main(ctx context.Context, args []string) error {
	init, err := parse(args)
	if err != nil {
		return err
	}
	_, err = init.Run(ctx)
	return err
}

func parse(args []string) (*Init, error) {
	init := &Init{Registry: sources.DefaultRegistry}
	services := map[sources.Host]map[string]string{}
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	flags.StringVar(&init.Dir, "dir", ".", "`directory` of the module")
	flags.StringVar(&init.CacheDir, "cache", "", "`directory` of the shared plugin cache")
	flags.StringVar(&init.RecordDir, "records", "", "`directory` that remembers what was verified")
	flags.IntVar(&init.Connections, "connections", 0, "`number` of connections that bring one archive")
	configured := flags.Bool("config", false, "install from where the CLI configuration says")
	flags.Func("registry", "`host` of addresses that name none", func(value string) (err error) {
		init.Registry, err = sources.ParseHost(value)
		return err
	})
	flags.Func("service", "`host=URL` of a provider registry", func(value string) error {
		name, url, _ := strings.Cut(value, "=")
		host, err := sources.ParseHost(name)
		services[host] = map[string]string{"providers.v1": url}
		return err
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if !*configured {
		init.Source = direct.New(direct.Config{Services: services})
		return init, nil
	}
	if len(services) > 0 {
		return nil, errors.New("-config and -service exclude each other: the configuration has host blocks for services")
	}
	var err error
	init.Source, err = configuredSource(init.Registry)
	return init, err
}

// configuredSource is what the provider_installation block of the user's configuration says.
func configuredSource(registry sources.Host) (sources.Source, error) {
	config, _ := cliconfig.Load(cliconfig.OSEnvironment(), cliconfig.Options{Registry: registry})
	return config.Source(cliconfig.SourceOptions{}) // whose error has the diagnostics
}
