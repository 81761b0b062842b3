package cliconfig

import (
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
)

// Load finds the configuration files, reads them and merges them with the environment. It also looks at directories:
// whether the plugin cache exists, where the credentials helper is, and, without a provider_installation block, what
// providers the local directories have.
//
// The configuration is never nil, but useless if the diagnostics have errors.
func Load(env Environment, opts Options) (*Config, hcl.Diagnostics) {
	opts = opts.withDefaults()
	if opts.Getenv == nil {
		opts.Getenv = env.Getenv
	}
	m := newMerger(opts)
	m.files(env)
	m.merge(env)
	m.settleCacheDir(env)
	m.findHelper(env)
	if len(m.installation) == 0 {
		m.implied(env)
	}
	return m.result()
}

func (m *merger) files(env Environment) {
	main, variable := env.mainFile()
	if main != "" {
		m.read(main, variable)
	}
	if variable != "" {
		return
	}
	dir := env.configDir()
	if dir == "" {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		m.unreadable(dir, "", err)
	}
	for _, entry := range entries {
		if isConfigName(entry.Name()) {
			m.read(filepath.Join(dir, entry.Name()), "")
		}
	}
}

// read reads a file that was found, or that a variable of the environment names.
func (m *merger) read(path, variable string) {
	src, err := readLimited(path)
	if err != nil {
		m.unreadable(path, variable, err)
		return
	}
	m.file(src, path)
}

// readLimited reads no more than it takes to find out that a file is too large.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
}

func (m *merger) unreadable(path, variable string, err error) {
	advice := ""
	if variable != "" {
		advice = " The environment variable " + variable + " names it: correct or unset the variable."
	}
	m.put(hcl.DiagError, nil, "Unreadable CLI configuration", "The CLI configuration at %s cannot be read: %s.%s", path, pathless(err), advice)
}

// settleCacheDir makes the plugin cache absolute, and reports one that is not there: most often its name is misspelt.
func (m *merger) settleCacheDir(env Environment) {
	written := m.config.PluginCacheDir
	if written == "" {
		return
	}
	dir, err := filepath.Abs(env.absolute(written))
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		m.put(hcl.DiagError, m.cacheDirRange(), "Unusable plugin cache", "The directory %s cannot be used: %s. Create it if the name is right.", written, pathless(err))
	}
	m.config.PluginCacheDir = dir
}

// cacheDirRange returns where the plugin cache is configured; nil if that is in the environment.
func (m *merger) cacheDirRange() *hcl.Range {
	if m.config.env().Getenv("TF_PLUGIN_CACHE_DIR") != "" {
		return nil
	}
	for _, l := range m.layers {
		if l.cacheDir != nil {
			return &l.cacheDirRange
		}
	}
	return nil
}

// implied makes the methods of a configuration without a provider_installation block: each local directory that exists,
// and then each provider's own registry, but not for providers that a directory has in any version.
func (m *merger) implied(env Environment) {
	var dirs []string
	var local []sources.Provider
	for _, dir := range env.pluginDirs() {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		found, err := providersIn(dir)
		if err != nil {
			m.put(hcl.DiagWarning, nil, "Unreadable provider directory", "Some providers in %s may be overlooked: %s.", dir, pathless(err))
		}
		dirs, local = append(dirs, dir), append(local, found...)
	}
	m.config.implied(m.opts, dirs, local)
}
