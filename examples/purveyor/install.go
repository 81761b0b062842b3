package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

func install(ctx context.Context, s *session) error {
	if len(s.named) > 0 {
		return installNamed(ctx, s)
	}
	return installModule(ctx, s)
}

// installModule does what init does about providers. What succeeds is recorded although something else fails.
func installModule(ctx context.Context, s *session) error {
	request, err := s.module()
	if err != nil {
		return err
	}
	result, err := s.installer().Install(ctx, request)
	if result == nil {
		return err
	}
	s.packages(result)
	s.unrecorded(result)
	err = kept(ctx, err, len(result.Packages))
	if s.readonly {
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
	return errors.Join(kept(ctx, err, len(result.Packages)), s.executables(result))
}

// packages reports what is installed.
func (s *session) packages(result *installer.Result) {
	for _, pkg := range result.Packages {
		s.out.print(packageRecord(pkg))
	}
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
