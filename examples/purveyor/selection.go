package main

import (
	"flag"
	"maps"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// selection is what a mirror or a bundle is to have, as the command line says it: addresses, and what stands in files.
type selection struct {
	plans, modules, locks []string // paths
	latest                int
	from                  string // a directory in the place of the configured sources
	tofus                 bool   // the lock file of one of the modules is tofu's
}

func (w *selection) flags(s *session, set *flag.FlagSet) {
	s.platformsFlag(set, "to have packages for")
	repeated(set, "plan", "what the plan `FILE` asks for; can be repeated", &w.plans)
	repeated(set, "module", "what the module in `DIR` requires; can be repeated", &w.modules)
	repeated(set, "lock", "what the dependency lock `FILE` has; can be repeated", &w.locks)
	set.IntVar(&w.latest, "latest", 1, "how many versions, the newest `N`, of each address; -1: all")
	fromFlag(set, &w.from)
}

func fromFlag(set *flag.FlagSet, from *string) {
	set.StringVar(from, "from", "", "take packages from the filesystem mirror `DIR` instead of the configured sources")
}

// repeated declares a flag that can be given several times.
func repeated(set *flag.FlagSet, name, usage string, values *[]string) {
	set.Func(name, usage, func(text string) error {
		*values = append(*values, text)
		return nil
	})
}

// plan reads everything that is named; without anything, the module of -chdir is.
func (w *selection) plan(s *session) (mirror.Plan, error) {
	plan := mirror.Plan{Platforms: s.platforms}
	if w.latest < 1 && w.latest != mirror.All {
		return plan, usagef("-latest: %d is no number of versions, nor -1 for all", w.latest)
	}
	for _, r := range s.named {
		plan.Wants = append(plan.Wants, mirror.Want{Provider: r.provider, Constraints: r.constraints, Latest: w.latest, Origin: "the command line"})
	}
	if len(s.named)+len(w.plans)+len(w.modules)+len(w.locks) == 0 {
		w.modules = []string{s.dir}
	}
	files, err := w.files(s, s.registry)
	if err != nil {
		return plan, err
	}
	if s.seemsTerraforms() || !s.decided.IsZero() { // with another default, do the files ask for something else?
		other, err := w.files(s, sources.TerraformRegistry)
		s.short = s.short || err == nil && !maps.Equal(providers(files), providers(other))
	}
	if s.short || w.tofus {
		s.decided = sources.Host{} // not for all: the default decides
	}
	return plan.And(files), nil
}

// files reads what stands in files. Addresses that name no host are on the registry, unless a module's lock file decides.
func (w *selection) files(s *session, registry sources.Host) (plan mirror.Plan, err error) {
	for _, path := range w.plans {
		more, err := mirror.ReadPlan(s.inModule(path), mirror.PlanOptions{Registry: registry})
		if err != nil {
			return plan, err
		}
		plan = plan.And(s.onPlatforms(more))
	}
	for _, dir := range s.allInModule(w.modules) {
		locks, err := lockfile.Read(filepath.Join(dir, lockfile.Name))
		if err != nil {
			return plan, err
		}
		decided := s.registryFor(locks, registry)
		if decided != registry {
			s.noteLockFile(dir, decided)
		}
		w.tofus = w.tofus || decided == sources.OpenTofuRegistry
		more, err := mirror.ForModules(required.Options{Registry: decided, TerraformFiles: decided == sources.TerraformRegistry}, dir)
		if err != nil {
			return plan, err
		}
		plan = plan.And(s.onPlatforms(more))
	}
	more, err := mirror.ForLockFiles(s.allInModule(w.locks)...)
	return plan.And(s.onPlatforms(more)), err
}

// providers returns those that a plan asks for.
func providers(plan mirror.Plan) map[sources.Provider]bool {
	all := map[sources.Provider]bool{}
	for _, want := range plan.Wants {
		all[want.Provider] = true
	}
	return all
}

// onPlatforms gives a plan without platforms those of the command line.
func (s *session) onPlatforms(plan mirror.Plan) mirror.Plan {
	if len(plan.Platforms) == 0 {
		plan.Platforms = s.platforms
	}
	return plan
}

func (s *session) allInModule(paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = s.inModule(filepath.FromSlash(path))
	}
	return all
}

// builder makes one that takes packages from the configured sources, or from the directory of -from.
func (w *selection) builder(s *session, plan mirror.Plan, target sources.Target) (*mirror.Builder, error) {
	s.required = installer.Requirements{}
	for _, want := range plan.Wants {
		s.required[want.Provider] = sources.Constraints{}
	}
	if err := s.configure(s.registry); err != nil {
		return nil, err
	}
	if w.from != "" {
		if err := s.only(w.from); err != nil {
			return nil, err
		}
	}
	in := s.installer()
	return &mirror.Builder{Installer: in, Target: target, Notify: s.notifyMirror}, nil
}
