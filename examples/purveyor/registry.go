package main

import (
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// registryFor returns the registry of a module's addresses that name no host: whose lock file it is says which tool the module
// is for. If nothing decides, it is the fallback.
func (s *session) registryFor(locks installer.Locks, fallback sources.Host) sources.Host {
	if !s.registry.IsZero() {
		return s.registry
	}
	decided := fallback
	for provider := range locks {
		switch provider.Host() {
		case sources.OpenTofuRegistry:
			return sources.OpenTofuRegistry
		case sources.TerraformRegistry:
			decided = sources.TerraformRegistry
		}
	}
	return decided
}

// noteLockFile says that the lock file of a module has decided otherwise than the default. For the configuration it decides,
// too, unless something else that is asked for disagrees.
func (s *session) noteLockFile(dir string, registry sources.Host) {
	if s.registry.IsZero() && registry == sources.TerraformRegistry {
		s.decided = registry
		which := "the module's addresses"
		if dir != s.dir {
			which = "addresses in " + s.show(dir)
		}
		s.noteOnce("%s that name no host are on %s, since the lock file is terraform's; -registry selects another", which, registry)
	}
}

// noteDefault says that the default has decided about addresses that name no host, to somebody who seems to use terraform.
func (s *session) noteDefault() {
	if s.short && s.seemsTerraforms() {
		which := "addresses"
		if len(s.noted) > 0 { // a lock file has decided about some
			which = "other addresses"
		}
		s.noteOnce("%s that name no host are on %s, as for tofu; for terraform: -registry=%s", which, sources.DefaultRegistry, sources.TerraformRegistry)
	}
}

// seemsTerraforms reports whether nothing is said about the registry, and terraform is there and tofu is not.
func (s *session) seemsTerraforms() bool {
	return s.registry.IsZero() && s.onPath("terraform") && !s.onPath("tofu")
}

// onPath reports whether a program can be found by its name.
func (p *program) onPath(name string) bool {
	for _, dir := range filepath.SplitList(p.env.Getenv("PATH")) {
		for _, suffix := range []string{"", ".exe"} {
			info, err := os.Stat(filepath.Join(dir, name+suffix))
			if err == nil && info.Mode().IsRegular() && (suffix != "" || info.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}
