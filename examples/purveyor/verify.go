package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

var verifyCommand = &command{
	name: "verify", args: "[DIR]", takes: operands{what: "directory", least: 0, most: 1},
	about: "read what is installed, or what a mirror's directory has, and check it; nothing is changed",
	examples: `
# This module's providers, against its lock file:
purveyor verify
# All packages, their hashes and the signatures that came along:
purveyor verify /srv/mirror
# All must be signed by this key:
purveyor verify -signer=34365D9472D7468F34365D9472D7468F34365D94 /srv/mirror
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		v := &verification{session: s}
		s.policyFlags(flags)
		s.accountFlags(flags)
		return v.run
	},
}

// verification is a run of verify.
type verification struct {
	*session
}

func (v *verification) run(ctx context.Context) error {
	if err := v.enter(); err != nil {
		return err
	}
	if len(v.paths) == 0 {
		return v.module(ctx)
	}
	dir, err := v.absolute(v.paths[0])
	if err != nil {
		return err
	}
	return v.mirror(ctx, dir)
}

// module compares what is installed with the lock file.
func (v *verification) module(ctx context.Context) error {
	locks, err := lockfile.Read(v.lockFile())
	if err != nil {
		return err
	}
	if _, err := os.Stat(v.lockFile()); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no %s, and so nothing to compare with: purveyor install writes it", v.show(v.lockFile()))
	}
	if len(locks) == 0 {
		return fmt.Errorf("%s has no providers: there is nothing to compare with", v.show(v.lockFile()))
	}
	var errs several
	for provider, lock := range locks.Sorted() {
		if err := v.installed(ctx, provider, lock); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", provider, lock.Version, err))
		}
	}
	return errs.orNil()
}

// installed compares one package.
func (v *verification) installed(ctx context.Context, p sources.Provider, lock installer.Lock) error {
	dir := filepath.Join(v.dataDir(), "providers", filepath.FromSlash(sources.PackagePath(p, lock.Version, sources.CurrentPlatform())))
	tree, err := hashing.Dir(ctx, dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("it is not installed: purveyor install installs it")
	case err != nil:
		return err
	case !slices.Contains(lock.Hashes, tree):
		return fmt.Errorf("%s is %s, which the lock file does not have", v.show(dir), tree)
	}
	v.out.print(record{Event: "checked", Provider: p.String(), Version: lock.Version.String(), Platform: sources.CurrentPlatform().String(), Path: dir, Message: "as locked"})
	return nil
}

// mirror reads all packages in a mirror's directory as an installation would.
func (v *verification) mirror(ctx context.Context, dir string) error {
	contents, err := fsmirror.NewTarget(dir).Contents(ctx)
	if err != nil {
		return err
	}
	if len(contents) == 0 {
		return fmt.Errorf("%s has no packages in the packed layout", v.show(dir))
	}
	scratch, err := os.MkdirTemp("", "purveyor-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	in := &installer.Installer{Source: fsmirror.New(dir), Policy: v.policy}
	var failed installer.Error
	for _, p := range slices.SortedFunc(maps.Keys(contents), sources.Provider.Compare) {
		for _, version := range contents[p] {
			for _, on := range version.Platforms {
				archive, err := in.Fetch(ctx, p, version.Version, on, filepath.Join(scratch, "archive.zip"))
				var failure *installer.ProviderError
				if errors.As(err, &failure) {
					failure.Phase = phaseVerify
					failed.Failures = append(failed.Failures, failure)
					continue
				}
				if err != nil {
					return err
				}
				r := record{Event: "checked", Provider: p.String(), Version: version.Version.String(), Platform: on.String()}.proven(*archive.Proof)
				r.Message = trust(r)
				v.out.print(r)
			}
		}
	}
	if len(failed.Failures) > 0 {
		return &failed
	}
	return nil
}

const phaseVerify installer.Phase = "verify"
