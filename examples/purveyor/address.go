package main

import (
	"fmt"
	"strings"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// requirements reads the addresses of the command line.
func (c *command) requirements(registry sources.Host, addresses []string) ([]requirement, error) {
	withConstraint := strings.Contains(c.args, "@")
	var named []requirement
	for i, text := range addresses {
		r, err := parseRequirement(registry, text)
		if err != nil && withConstraint {
			return nil, atMissing(err, addresses[:i], text)
		}
		if err != nil {
			return nil, err
		}
		if !withConstraint && strings.Contains(text, "@") {
			return nil, fmt.Errorf("%q: an address without a constraint is expected", text)
		}
		named = append(named, r)
	}
	return named, nil
}

// atMissing adds to the error about an operand that it may be meant as a constraint: a word of its own, or behind a colon.
func atMissing(err error, before []string, text string) error {
	address, constraint := "hashicorp/random", text
	if len(before) > 0 {
		address = before[len(before)-1]
	}
	if i := strings.LastIndex(text, ":"); i > 0 {
		address, constraint = text[:i], text[i+1:]
	}
	if constraints, wrong := sources.ParseConstraints(constraint); wrong != nil || constraints.String() == "" || strings.Contains(address, "@") {
		return err
	}
	return fmt.Errorf("%w; a constraint follows an @: '%s@%s'", err, address, constraint)
}

// parseRequirement reads ADDRESS or ADDRESS@CONSTRAINT. No part of an address has an "@".
func parseRequirement(registry sources.Host, text string) (requirement, error) {
	address, constraint, cut := strings.Cut(text, "@")
	provider, err := sources.ParseProviderIn(registry, address)
	if err != nil {
		return requirement{}, err
	}
	if cut && strings.TrimSpace(constraint) == "" {
		return requirement{}, fmt.Errorf("%q: a constraint is expected after the @, for example @~> 1.2", text)
	}
	constraints, err := sources.ParseConstraints(strings.TrimSpace(constraint))
	if err != nil {
		return requirement{}, fmt.Errorf("%q: %w", text, err)
	}
	if provider.BuiltIn() {
		return requirement{}, fmt.Errorf("%s is built into terraform and tofu; there is nothing to install", provider)
	}
	return requirement{provider: provider, constraints: constraints, text: strings.TrimSpace(constraint), short: strings.Count(address, "/") < 2}, nil
}

// together combines requirements: a provider that is named twice has to meet both constraints.
func together(named []requirement) installer.Requirements {
	all := installer.Requirements{}
	for _, r := range named {
		all[r.provider] = all[r.provider].And(r.constraints)
	}
	return all
}
