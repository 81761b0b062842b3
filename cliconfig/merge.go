package cliconfig

import (
	"cmp"
	"maps"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
)

// merger makes one configuration from the layers of several files, the main file first.
//
// For settings with one value the environment wins over the main file, and that over the files of the configuration
// directory, of which the first wins. In tables (host, credentials) the file read last wins. Of what decides about
// origins there is only one.
type merger struct {
	report
	opts         Options
	config       *Config
	layers       []layer
	installation []installation
}

func newMerger(opts Options) *merger {
	return &merger{opts: opts, config: &Config{Files: map[string]*hcl.File{}, Registry: opts.Registry}}
}

func (m *merger) file(src []byte, filename string) {
	layer, file, diags := decode(src, filename, m.opts)
	m.config.Files[filename] = file
	m.layers = append(m.layers, layer)
	m.add(diags)
}

func (m *merger) merge(env Environment) {
	c := m.config
	c.env = func() Environment { return env }
	c.Protocols = env.protocols()
	c.DownloadRetries = env.positive("TF_PROVIDER_DOWNLOAD_RETRY")
	c.PluginCacheDir = env.Getenv("TF_PLUGIN_CACHE_DIR")
	c.PluginCacheMayBreakLockFile = env.flag("TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE")
	for _, l := range m.layers {
		c.Protocols = c.Protocols.or(l.protocols)
		if l.cacheDir != nil {
			c.PluginCacheDir = cmp.Or(c.PluginCacheDir, *l.cacheDir)
		}
		c.PluginCacheMayBreakLockFile = c.PluginCacheMayBreakLockFile || l.mayBreakLock
		override(&c.Services, l.services)
		override(&c.Tokens, l.tokens)
		m.installation = append(m.installation, l.installation...)
	}
	override(&c.Tokens, env.tokens())
	m.mergeInstallation()
	m.mergeHelpers()
	m.mergeOCI(env)
}

func override[V any](table *map[sources.Host]V, with map[sources.Host]V) {
	if *table == nil && len(with) > 0 {
		*table = map[sources.Host]V{}
	}
	maps.Copy(*table, with)
}

func (m *merger) mergeInstallation() {
	for i, in := range m.installation {
		if i > 0 {
			m.fail(in.at, "Duplicate provider_installation block", "There is one already at %s; there can be only one in all files.", m.installation[0].at)
		}
	}
	if len(m.installation) > 0 {
		m.config.Methods = m.installation[0].methods
		m.config.DevOverrides = m.installation[0].overrides
	}
}

func (m *merger) mergeHelpers() {
	for _, l := range m.layers {
		for _, helper := range l.helpers {
			first := m.config.Helper
			if first != nil && first.Name != helper.Name {
				m.fail(helper.Range, "Duplicate credentials_helper block", "There is one already at %s; there can be only one in all files.", first.Range)
				continue
			}
			m.config.Helper = &helper
		}
	}
}

func (m *merger) mergeOCI(env Environment) {
	auth := &m.config.OCI
	auth.ConfigFiles = env.dockerConfigFiles()
	var defaults *ociDefaults
	for _, l := range m.layers {
		for _, d := range l.ociDefaults {
			if defaults != nil {
				m.fail(d.at, "Duplicate oci_default_credentials block", "There is one already at %s; there can be only one in all files.", defaults.at)
				continue
			}
			defaults = &d
		}
		for _, c := range l.oci {
			m.addOCI(c)
		}
	}
	if defaults != nil {
		defaults.apply(auth)
	}
}

func (m *merger) addOCI(c OCICredentials) {
	auth := &m.config.OCI
	for _, other := range auth.Credentials {
		if other.Registry == c.Registry && other.Repository == c.Repository {
			m.fail(c.Range, "Duplicate oci_credentials block", "There are credentials for %s already at %s.", c.prefix(), other.Range)
			return
		}
	}
	auth.Credentials = append(auth.Credentials, c)
}

// result returns the configuration, if there were no errors.
func (m *merger) result() (*Config, hcl.Diagnostics) {
	if m.diags.HasErrors() {
		files := m.config.Files
		return &Config{Files: files, err: &Error{Diagnostics: m.diags, Files: files}}, m.diags
	}
	return m.config, m.diags
}
