package main

import (
	"fmt"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// module reads what the module needs, and the configuration for it.
func (s *session) module() (installer.Request, error) {
	request := installer.Request{}
	err := s.enter()
	if err != nil {
		return request, err
	}
	if request.Locks, err = lockfile.Read(s.lockFile()); err != nil {
		return request, err
	}
	registry := s.registryFor(request.Locks)
	result, err := required.Read(s.dir, required.Options{
		Registry:       registry,
		DataDir:        s.dataDir(),
		TerraformFiles: registry == sources.TerraformRegistry,
	})
	if err != nil {
		return request, err
	}
	if len(result.Files) == 0 {
		return request, fmt.Errorf("there is no configuration in %s: no *.tf, *.tf.json, *.tofu or *.tofu.json", s.dir)
	}
	s.diagnostics(result.Warnings, result.Files)
	request.Requirements = result.Requirements
	s.required, s.origins = result.Requirements, result.Origins
	return request, s.configure(registry)
}

func (s *session) lockFile() string { return filepath.Join(s.dir, lockfile.Name) }

// registryFor returns the default registry for a module: whose lock file it is says which tool the module is for.
func (s *session) registryFor(locks installer.Locks) sources.Host {
	if !s.registry.IsZero() || !isTerraforms(locks) {
		return s.registry
	}
	s.note("addresses that name no host are on %s, since the lock file is terraform's; -registry selects another",
		sources.TerraformRegistry)
	return sources.TerraformRegistry
}

// isTerraforms reports whether a lock file has providers of terraform's registry and none of tofu's.
func isTerraforms(locks installer.Locks) bool {
	found := false
	for provider := range locks {
		switch provider.Host() {
		case sources.OpenTofuRegistry:
			return false
		case sources.TerraformRegistry:
			found = true
		}
	}
	return found
}

// writeLocks makes the lock file hold the locks, if that is a change.
func (s *session) writeLocks(old, locks installer.Locks) error {
	r := record{Event: "lockfile", Path: s.lockFile(), Message: "unchanged"}
	if !locks.Equal(old) {
		if err := lockfile.Write(r.Path, locks); err != nil {
			return &lockFileError{Err: err}
		}
		r.Message = "changed"
	}
	s.out.print(r)
	return nil
}
