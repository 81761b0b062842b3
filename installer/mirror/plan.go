package mirror

import (
	"fmt"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// All, as a [Want.Latest], asks for every version that meets the constraints.
const All = -1

// Plan is what is to be in a mirror: all of its Wants together.
type Plan struct {
	Wants []Want

	// Platforms are for the wants that have none of their own. Empty: the platform of this process; for pruning, that is
	// an error.
	Platforms []sources.Platform
}

// Want asks for versions of one provider. Wants of the same provider do not restrict each other.
type Want struct {
	Provider sources.Provider

	// Constraints are what the versions have to meet.
	Constraints sources.Constraints

	// Latest is how many of these versions there shall be, the newest ones. Zero: the newest one, which is what a new
	// project would select. [All]: all of them.
	Latest int

	// Version asks for this very version in the place of those that Constraints and Latest choose, and the source is not
	// asked for a list. Zero: they choose.
	Version sources.Version

	// Hashes are those that a dependency lock file records for Version: a package of which none of them is one is refused.
	// They may be for any number of platforms. Nil, or only ones of unknown schemes: nothing is recorded.
	Hashes []hashing.Hash

	// Platforms are those that the packages are for. Empty: [Plan.Platforms].
	Platforms []sources.Platform

	// Optional says that a version need not have packages for all platforms: what the source says it does not have
	// is reported ([Release.Missing]), and no failure.
	Optional bool

	// Origin is who asks, for messages: "modules/network", "mirror.hcl:3". It may be empty.
	Origin string
}

// And returns the plan that asks for what p and all the others ask for. Each want keeps the platforms that it has in its
// own plan; the plan that is returned has none for those that have none.
func (p Plan) And(others ...Plan) Plan {
	all := Plan{}
	for _, plan := range append([]Plan{p}, others...) {
		for _, w := range plan.Wants {
			if len(w.Platforms) == 0 {
				w.Platforms = slices.Clone(plan.Platforms)
			}
			all.Wants = append(all.Wants, w)
		}
	}
	return all
}

func (p Plan) platformsOf(w Want) []sources.Platform {
	for _, platforms := range [][]sources.Platform{w.Platforms, p.Platforms} {
		if len(platforms) > 0 {
			return slices.Clone(platforms)
		}
	}
	return []sources.Platform{sources.CurrentPlatform()}
}

// check says which field makes no sense.
func (p Plan) check() error {
	if err := checkPlatforms("Plan.Platforms", p.Platforms); err != nil {
		return err
	}
	for i, w := range p.Wants {
		if err := w.check(fmt.Sprintf("Plan.Wants[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func (w Want) check(field string) error {
	problem := func(name, text string) error { return &sources.FieldError{Field: field + name, Problem: text} }
	switch {
	case w.Provider.IsZero():
		return problem(".Provider", "is missing; make providers with sources.ParseProvider")
	case w.Provider.BuiltIn():
		return problem(".Provider", fmt.Sprintf("is %s, which is built into terraform and tofu: it has no package", w.Provider))
	case w.Latest < All:
		return problem(".Latest", fmt.Sprintf("is %d: it must be a number of versions, or All", w.Latest))
	case w.Version.IsZero() && len(w.Hashes) > 0:
		return problem(".Hashes", "are of no Version")
	}
	return checkPlatforms(field+".Platforms", w.Platforms)
}

func checkPlatforms(field string, platforms []sources.Platform) error {
	for _, on := range platforms {
		if _, err := sources.ParsePlatform(on.String()); err != nil {
			return &sources.FieldError{Field: field, Problem: err.Error()}
		}
	}
	return nil
}
