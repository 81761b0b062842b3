package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// setTemplate reads the value of -to.
func (o *options) setTemplate(text string) error {
	template, diags := cliconfig.ParseRepositoryTemplate(text, hcl.Range{Filename: "-to"})
	if diags.HasErrors() {
		return errors.New(diags[0].Detail)
	}
	o.to = &template
	return nil
}

// destination makes the target of -to, with the credentials of the configuration.
func (s *session) destination() (*ocimirror.Target, error) {
	return ocimirror.NewTarget(ocimirror.TargetConfig{
		Config: ocimirror.Config{
			Repository:  s.to.Address,
			Name:        s.to.String(),
			Credentials: s.config.OCICredentials(),
			Client:      s.client,
			PlainHTTP:   s.plainHTTP,
		},
		Replace: s.replace,
	})
}

// checkRepositories makes sure that no two providers get into one repository: nobody could tell their versions apart.
func (s *session) checkRepositories() error {
	taken := map[string]sources.Provider{}
	for _, r := range s.named {
		registry, repository, err := s.to.Address(r.provider)
		if err != nil {
			return err
		}
		address := registry + "/" + repository
		if other, ok := taken[address]; ok && other != r.provider {
			return fmt.Errorf("%s and %s cannot share the repository %s: -to needs ${hostname}, ${namespace} or ${type}", other, r.provider, address)
		}
		taken[address] = r.provider
	}
	return nil
}

// only makes a directory the one source there is.
func (s *session) only(dir string) error {
	dir, err := s.absolute(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", s.show(dir))
	}
	table := cliconfig.Methods()
	i := slices.IndexFunc(table, func(m cliconfig.MethodType) bool { return m.Name == "filesystem_mirror" })
	s.config.Methods = []cliconfig.Method{{Type: table[i], Location: cliconfig.FilesystemMirror{Path: dir}}}
	s.chain, err = s.sources(s.config)
	return err
}
