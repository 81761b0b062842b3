package mirror

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// ForRequirements returns the plan that asks for the newest version of each provider that meets its constraints. Built-in
// providers have no packages and are passed over.
func ForRequirements(reqs installer.Requirements) Plan {
	return Plan{Wants: wantsOf(reqs, "")}
}

func wantsOf(reqs installer.Requirements, origin string) []Want {
	var wants []Want
	for _, p := range slices.SortedFunc(maps.Keys(reqs), sources.Provider.Compare) {
		if !p.BuiltIn() {
			wants = append(wants, Want{Provider: p, Constraints: reqs[p], Origin: origin})
		}
	}
	return wants
}

// ForModules returns the plan that asks for what each of several root modules, in these directories, would select. Their
// constraints do not restrict each other: if one needs "~> 1.0" of a provider and another "~> 2.0", the mirror has both. An
// error of a module is that of [required.Read], with the directory.
func ForModules(opts required.Options, dirs ...string) (Plan, error) {
	var plan Plan
	for _, dir := range dirs {
		read, err := required.Read(dir, opts)
		if err != nil {
			return Plan{}, fmt.Errorf("the module in %s: %w", dir, err)
		}
		plan.Wants = append(plan.Wants, wantsOf(read.Requirements, dir)...)
	}
	return plan, nil
}

// ForLocks returns the plan that asks for the locked versions, and holds their packages to the recorded hashes.
func ForLocks(locks installer.Locks) Plan {
	return Plan{Wants: lockedWants(locks, "")}
}

func lockedWants(locks installer.Locks, origin string) []Want {
	var wants []Want
	for p, lock := range locks.Sorted() {
		if lock.Version.IsZero() {
			wants = append(wants, Want{Provider: p, Constraints: unspecified, Origin: origin})
			continue
		}
		wants = append(wants, Want{Provider: p, Version: lock.Version, Hashes: slices.Clone(lock.Hashes), Origin: origin})
	}
	return wants
}

// unspecified is met by no version: who has locked 0.0.0 must not get the newest one.
var unspecified = sources.MustParseConstraints("0.0.0")

// ForLockFiles is ForLocks for dependency lock files. A missing one is an error, which matches fs.ErrNotExist; what else is
// wrong with a file is the error of [lockfile.Read].
func ForLockFiles(paths ...string) (Plan, error) {
	var plan Plan
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return Plan{}, fmt.Errorf("reading the dependency lock file: %w", err)
		}
		locks, err := lockfile.Read(path)
		if err != nil {
			return Plan{}, err
		}
		plan.Wants = append(plan.Wants, lockedWants(locks, path)...)
	}
	return plan, nil
}
