package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

var installCommand = &command{
	name: "install", args: "[ADDRESS[@CONSTRAINT] …]", takes: addresses(0, unlimited),
	about: "install what a module requires, or the providers named",
	examples: `
# What the module here requires, as "tofu init" does:
purveyor install
# As "terraform init" does, which has another registry:
purveyor install -registry=registry.terraform.io
# Fail if the lock file is not complete:
purveyor install -chdir=live/prod -lockfile=readonly
# The newest versions that the module allows:
purveyor install -upgrade
# Nothing new that is not signed; what the lock file has was judged before:
purveyor install -require-signature
# No module: print the executable's path:
provider=$(purveyor install 'hashicorp/random@~> 3.6')
`,
	more: `
Packages go to .terraform/providers, where terraform and tofu look for them; in
the place of .terraform, to the directory of TF_DATA_DIR. With a plugin cache
(plugin_cache_dir of the CLI configuration, or TF_PLUGIN_CACHE_DIR), packages
are stored there, and .terraform/providers has links to them.
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		i := &installation{session: s}
		s.askFlags(flags)
		s.platformFlag(flags)
		s.policyFlags(flags)
		s.accountFlags(flags)
		flags.BoolVar(&i.upgrade, "upgrade", false, "select the newest versions, whatever the lock file has")
		flags.Func("lockfile", "with `readonly`: fail if the lock file would have to change", i.setLockfile)
		return i.run
	},
}

// installation is a run of install.
type installation struct {
	*session
	upgrade, readonly bool
}

func (i *installation) setLockfile(text string) error {
	if text != "readonly" {
		return errors.New("the only value is readonly")
	}
	i.readonly = true
	return nil
}

func (i *installation) run(ctx context.Context) error {
	switch {
	case i.readonly && i.upgrade:
		return usagef("-upgrade would change the lock file, and -lockfile=readonly forbids it")
	case len(i.named) > 0 && (i.readonly || i.upgrade):
		return usagef("-upgrade and -lockfile are for a module; with addresses, no lock file is involved")
	case len(i.named) > 0:
		return installNamed(ctx, i.session)
	}
	return i.module(ctx)
}

// module does what init does about providers. What succeeds is recorded although something else fails.
func (i *installation) module(ctx context.Context) error {
	s := i.session
	request, err := s.module()
	if err != nil {
		return err
	}
	request.Upgrade, request.Readonly = i.upgrade, i.readonly
	result, err := s.installer().Install(ctx, request)
	if result == nil {
		return err
	}
	s.packages(result)
	s.unrecorded(result)
	err = kept(ctx, err, len(result.Packages), "provider")
	if i.readonly {
		return err
	}
	return errors.Join(err, s.writeLocks(request.Locks, result.Locks))
}

// installNamed installs the providers of the command line and prints their executables.
func installNamed(ctx context.Context, s *session) error {
	if err := s.enter(); err != nil {
		return err
	}
	s.required = together(s.named)
	if err := s.configure(s.registry); err != nil {
		return err
	}
	result, err := s.installer().Install(ctx, installer.Request{Requirements: s.required})
	if result == nil {
		return err
	}
	s.packages(result)
	return errors.Join(kept(ctx, err, len(result.Packages), "provider"), s.executables(result))
}

// packages reports what is installed.
func (s *session) packages(result *installer.Result) {
	var all []record
	for _, pkg := range result.Packages {
		all = append(all, packageRecord(pkg))
	}
	s.out.packages(all)
}

func (s *session) unrecorded(result *installer.Result) {
	for _, provider := range result.Unrecorded {
		s.out.print(record{
			Event:    "warning",
			Provider: provider.String(),
			Message:  "the lock file lacks hashes of this package, and -lockfile=readonly keeps them from being recorded",
		})
	}
}

// executables prints the paths of the executables in the order of the command line. In JSON, packages have them.
func (s *session) executables(result *installer.Result) error {
	if s.json {
		return nil
	}
	paths := map[sources.Provider]string{}
	for _, pkg := range result.Packages {
		paths[pkg.Selection.Provider] = pkg.Executable
	}
	for _, r := range s.named {
		if path, ok := paths[r.provider]; ok {
			if _, err := fmt.Fprintln(s.stdout, path); err != nil {
				return err
			}
		}
	}
	return nil
}
