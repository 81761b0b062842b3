package installer

import (
	"cmp"
	"context"

	"github.com/purveyor-dev/purveyor/sources"
)

// Get installs one provider: the newest version that meets the constraint. Get(ctx, "hashicorp/random", "~> 3.6")
// returns a package whose Executable is the path to run. An empty constraint accepts every release; an address
// without a host is completed with Installer.Registry.
//
// A built-in provider is a [*sources.FieldError], and what cannot be parsed a [*sources.AddressError],
// [*sources.HostError] or [*sources.ConstraintError]; other errors are those of Install.
//
// No lock file is involved. Without Installer.RecordDir, each call downloads the package to compare it with what may be
// there already.
func (in *Installer) Get(ctx context.Context, address, constraint string) (*Package, error) {
	p, err := sources.ParseProviderIn(cmp.Or(in.Registry, sources.DefaultRegistry), address)
	if err != nil {
		return nil, err
	}
	if p.BuiltIn() {
		return nil, &sources.FieldError{Field: "address", Problem: p.String() + " is built into terraform and tofu; there is nothing to install"}
	}
	constraints, err := sources.ParseConstraints(constraint)
	if err != nil {
		return nil, err
	}
	result, err := in.Install(ctx, Request{Requirements: Requirements{p: constraints}})
	if err != nil {
		return nil, err
	}
	return &result.Packages[0], nil
}
