package cliconfig

import (
	"os"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
)

// Options say how to read a configuration. The zero value is ready to use.
type Options struct {
	// Registry is the host of patterns and addresses that name none. Zero: [sources.DefaultRegistry].
	Registry sources.Host

	// Methods is the table of installation methods. Nil: [Methods].
	Methods []MethodType

	// Getenv looks up the variables in plugin_cache_dir, which is the one argument that can have any. Nil: those of the
	// environment given to [Load]; [Parse] leaves them as they are.
	Getenv func(name string) string
}

func (o Options) withDefaults() Options {
	if o.Registry.IsZero() {
		o.Registry = sources.DefaultRegistry
	}
	if o.Methods == nil {
		o.Methods = Methods()
	}
	return o
}

func (o Options) expand(s string) string {
	if o.Getenv == nil {
		return s
	}
	return os.Expand(s, o.Getenv)
}

// Config is what the CLI configuration says about installing providers. If there were errors, only Files is set.
type Config struct {
	// Files are the files that were read, by name, for [WriteDiagnostics]. They have no bodies, and secrets are blanked.
	Files map[string]*hcl.File

	// Registry is that of [Options].
	Registry sources.Host

	// Methods are the installation methods in the order of preference. An empty provider_installation block allows none.
	Methods []Method

	// Implied says that there is no provider_installation block: Methods are those of the clients' default.
	Implied bool

	// DevOverrides are directories with executables to be used instead of installed providers, cleaned but as relative
	// as they are written, to [Environment.WorkingDir]. Using them is up to the caller; they are not part of [Config.Source].
	DevOverrides map[sources.Provider]string

	// PluginCacheDir is the directory of the shared plugin cache; "" for none. [Load] makes it absolute, from
	// [Environment.WorkingDir]; [Parse] leaves it as it is written.
	PluginCacheDir string

	// PluginCacheMayBreakLockFile allows using the cache for providers that the dependency lock file does not know.
	PluginCacheMayBreakLockFile bool

	// Services replaces service discovery for hosts: service identifier to URL.
	Services map[sources.Host]map[string]string

	// Tokens are those of the environment and of credentials blocks.
	Tokens map[sources.Host]sources.Token

	// Helper is the credentials helper; nil for none.
	Helper *CredentialsHelper

	// Protocols says how patient to be with registries and with mirrors on the network.
	Protocols RegistryProtocols

	// DownloadRetries is the number of further attempts at an archive where the method says nothing; nil: the default.
	DownloadRetries *int

	// OCI says how to authenticate to OCI registries.
	OCI OCIAuth

	env func() Environment // a function, so that printing a Config shows no variables; nil after errors
	err *Error
}

// Parse reads one file as the whole configuration. It does no I/O. The filename is for diagnostics, and what relative
// paths of docker_style_config_files are relative to.
//
// Without a provider_installation block, providers are installed directly; only [Load] looks for local directories as
// well.
//
// The configuration is never nil, but useless if the diagnostics have errors.
func Parse(src []byte, filename string, opts Options) (*Config, hcl.Diagnostics) {
	opts = opts.withDefaults()
	m := newMerger(opts)
	m.file(src, filename)
	m.merge(Environment{})
	if len(m.installation) == 0 {
		m.config.implied(opts, nil, nil)
	}
	return m.result()
}

// Absolute resolves a relative path of the configuration against [Environment.WorkingDir], or that of the process where
// nobody has said which it is: for [MethodType.Build] of blocks that have paths.
func (c *Config) Absolute(path string) string {
	if c == nil || c.env == nil {
		return path
	}
	return c.env().absolute(path)
}

// Err returns an [*Error] if the configuration had errors, nil otherwise.
func (c *Config) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}
