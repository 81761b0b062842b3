package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// outlet is the OCI repositories that a command publishes in.
type outlet struct {
	to        *cliconfig.RepositoryTemplate // nil: not given
	replace   bool
	plainHTTP bool
}

func (o *outlet) flags(set *flag.FlagSet) {
	set.Func("to", "publish in the OCI repositories of this `TEMPLATE`, like registry.example.com/mirror/${namespace}/${type}", o.setTemplate)
	set.BoolVar(&o.plainHTTP, "plain-http", false, "speak http to a registry at a loopback address")
}

// setTemplate reads the value of -to.
func (o *outlet) setTemplate(text string) error {
	template, diags := cliconfig.ParseRepositoryTemplate(text, hcl.Range{Filename: "-to"})
	if diags.HasErrors() {
		return errors.New(diags[0].Detail)
	}
	o.to = &template
	return nil
}

// repositories makes the target of an outlet, with the credentials of the configuration.
func (s *session) repositories(o outlet) (*ocimirror.Target, error) {
	return ocimirror.NewTarget(ocimirror.TargetConfig{
		Config: ocimirror.Config{
			Repository:  o.to.Address,
			Name:        o.to.String(),
			Credentials: s.config.OCICredentials(),
			Client:      s.client,
			PlainHTTP:   o.plainHTTP,
		},
		Replace: o.replace,
	})
}

// checkRepositories makes sure that no two providers get into one repository: nobody could tell their versions apart.
func (s *session) checkRepositories(o outlet) error {
	taken := map[string]sources.Provider{}
	for _, p := range slices.SortedFunc(maps.Keys(s.required), sources.Provider.Compare) {
		registry, repository, err := o.to.Address(p)
		if err != nil {
			return err
		}
		address := registry + "/" + repository
		if other, ok := taken[address]; ok {
			return fmt.Errorf("%s and %s cannot share the repository %s: -to needs ${hostname}, ${namespace} or ${type}", other, p, address)
		}
		taken[address] = p
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
