package main

import (
	"fmt"
	"maps"
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
	registry := s.registryFor(request.Locks, sources.Host{})
	s.noteLockFile(s.dir, registry)
	options := required.Options{Registry: registry, DataDir: s.dataDir(), TerraformFiles: registry == sources.TerraformRegistry}
	result, err := required.Read(s.dir, options)
	if err != nil {
		return request, err
	}
	if len(result.Files) == 0 {
		return request, fmt.Errorf("there is no configuration in %s: no *.tf, *.tf.json, *.tofu or *.tofu.json", s.dir)
	}
	s.diagnostics(result.Warnings, result.Files)
	request.Requirements = result.Requirements
	s.required, s.origins = result.Requirements, result.Origins
	s.short = registry.IsZero() && s.seemsTerraforms() && hasShort(s.dir, options, result)
	return request, s.configure(registry)
}

// hasShort reports whether a module has addresses that name no host: with another default, it requires something else.
func hasShort(dir string, options required.Options, result *required.Result) bool {
	options.Registry = sources.TerraformRegistry
	other, err := required.Read(dir, options)
	return err == nil && !maps.EqualFunc(result.Requirements, other.Requirements, func(_, _ sources.Constraints) bool { return true })
}

func (s *session) lockFile() string { return filepath.Join(s.dir, lockfile.Name) }

// writeLocks makes the lock file hold the locks, if that is a change.
func (s *session) writeLocks(old, locks installer.Locks) error {
	if len(old)+len(locks) == 0 && !s.json {
		return nil // there need not even be a file
	}
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
