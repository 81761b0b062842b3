package client

import (
	"context"
	"flag"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
)

// Main is [Init.Run] as a command line:
//
//	-dir DIR            the module; "." by default
//	-cache DIR          the shared plugin cache; none by default
//	-registry HOST      of addresses that name none
//	-service HOST=URL   where that host's provider registry is, without asking the host; any number of times
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
	config := direct.Config{Services: map[sources.Host]map[string]string{}}
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	flags.StringVar(&init.Dir, "dir", ".", "`directory` of the module")
	flags.StringVar(&init.CacheDir, "cache", "", "`directory` of the shared plugin cache")
	flags.Func("registry", "`host` of addresses that name none", func(value string) (err error) {
		init.Registry, err = sources.ParseHost(value)
		return err
	})
	flags.Func("service", "`host=URL` of a provider registry", func(value string) error {
		name, url, _ := strings.Cut(value, "=")
		host, err := sources.ParseHost(name)
		config.Services[host] = map[string]string{"providers.v1": url}
		return err
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	init.Source = direct.New(config)
	return init, nil
}
