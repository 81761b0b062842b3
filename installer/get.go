package installer

import (
	"context"
	"errors"

	"github.com/purveyor-dev/purveyor/sources"
)

// Get installs one provider and returns the absolute path of its executable: the newest version that meets the constraint, for
// example Get(ctx, "hashicorp/random", "~> 3.6"). An empty constraint accepts every release. No lock file is involved.
func (in *Installer) Get(ctx context.Context, address, constraint string) (string, error) {
	p, err := sources.ParseProvider(address)
	if err != nil {
		return "", err
	}
	constraints, err := sources.ParseConstraints(constraint)
	if err != nil {
		return "", err
	}
	result, err := in.Install(ctx, Request{Requirements: Requirements{p: constraints}})
	if err != nil {
		return "", err
	}
	if len(result.Packages) == 0 {
		return "", &ProviderError{Provider: p, Phase: PhaseInstall, Err: errBuiltIn}
	}
	return result.Packages[0].Executable, nil
}

var errBuiltIn = errors.New("the provider is built into terraform and tofu; there is nothing to install")
