package main

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// configure reads the CLI configuration. What is required is known before.
func (s *session) configure(registry sources.Host) (err error) {
	config, diags := cliconfig.Load(s.moduleEnv(), cliconfig.Options{Registry: cmp.Or(registry, s.decided)})
	if err := config.Err(); err != nil {
		return err
	}
	s.diagnostics(diags, config.Files)
	s.config = config
	s.noteDefault()
	s.overrides()
	s.chain, err = s.sources(config)
	return err
}

// moduleEnv is the environment as the clients see it after -chdir: relative paths in the CLI configuration are the module's.
// The file itself they have found before.
func (s *session) moduleEnv() cliconfig.Environment {
	env := s.env
	env.WorkingDir, env.Variables = s.dir, slices.Clone(env.Variables)
	for _, name := range []string{"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"} {
		if file := env.Getenv(name); file != "" && !filepath.IsAbs(file) {
			env.Variables = append(env.Variables, name+"="+filepath.Join(s.env.WorkingDir, file))
		}
	}
	return env
}

// installer makes an installer of what the environment says.
func (s *session) installer() *installer.Installer {
	return &installer.Installer{
		Source:    s.chain,
		Dir:       filepath.Join(s.dataDir(), "providers"),
		CacheDir:  s.config.PluginCacheDir,
		RecordDir: s.recordDir(),
		Platform:  s.platform(),
		Policy:    s.policy,
		Notify:    s.notify,
	}
}

// dataDir is where terraform and tofu keep what belongs to a module.
func (s *session) dataDir() string {
	if dir := s.env.Getenv("TF_DATA_DIR"); dir != "" {
		return s.inModule(dir)
	}
	return s.inModule(required.DefaultDataDir)
}

// sources makes the chain of the configuration, with the network's replaced if there must be no network.
func (s *session) sources(config *cliconfig.Config) (sources.Chain, error) {
	chain, err := config.Source(cliconfig.SourceOptions{Client: s.client})
	if err != nil {
		return nil, err
	}
	for i, method := range config.Methods {
		if s.offline && !isLocal(method) {
			chain[i].Source = offline{name: chain[i].Source.String()}
		}
	}
	return chain, nil
}

// overrides tells that terraform and tofu would run something else than what is installed.
func (s *session) overrides() {
	for _, provider := range slices.SortedFunc(maps.Keys(s.required), sources.Provider.Compare) {
		if dir, ok := s.config.DevOverrides[provider]; ok {
			s.note("%s: dev_overrides makes terraform and tofu use %s instead of what is installed", provider, dir)
		}
	}
}
