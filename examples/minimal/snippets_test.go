package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// module is the README's code about a module directory.
func module(ctx context.Context, source sources.Source, dir string) error {
	in := &installer.Installer{Source: source, Dir: filepath.Join(dir, ".terraform", "providers")}
	module, readErr := required.Read(dir, required.Options{})          // required_providers, child modules included
	locks, lockErr := lockfile.Read(filepath.Join(dir, lockfile.Name)) // empty when there is none
	if err := errors.Join(readErr, lockErr); err != nil {
		return err
	}
	result, err := in.Install(ctx, installer.Request{Requirements: module.Requirements, Locks: locks})
	if result == nil {
		return err
	}
	// err has one error for each provider that failed; result has the others
	return errors.Join(err, lockfile.Write(filepath.Join(dir, lockfile.Name), result.Locks))
}

func TestAModule(t *testing.T) {
	t.Parallel()
	srv := registrytest.New(t, registrytest.Config{})
	dir := t.TempDir()
	if err := module(t.Context(), direct.New(direct.Config{Client: srv.Client()}), dir); err != nil {
		t.Error(err)
	}
	if locks, err := lockfile.Read(filepath.Join(dir, lockfile.Name)); err != nil || len(locks) != 0 {
		t.Errorf("%v, %v", locks, err)
	}
}
