package mirror

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// wanted is what is wanted of one version, by all wants together.
type wanted struct {
	provider  sources.Provider
	version   sources.Version
	platforms map[sources.Platform]*demand
}

// demand is what is asked of one package.
type demand struct {
	needed bool   // it is a failure if the source does not have it
	locks  []lock // of several lock files
}

// lock is the hashes of one lock file: one of them has to be the package's.
type lock struct {
	hashes []hashing.Hash
	origin string
}

// sorted returns the platforms in order.
func (w *wanted) sorted() []sources.Platform {
	return slices.SortedFunc(maps.Keys(w.platforms), sources.Platform.Compare)
}

// add puts in what one want asks of this version.
func (w *wanted) add(want Want, platforms []sources.Platform) {
	for _, on := range platforms {
		d := w.platforms[on]
		if d == nil {
			d = &demand{}
			w.platforms[on] = d
		}
		d.needed = d.needed || !want.Optional
		if len(want.Hashes) > 0 {
			d.locks = append(d.locks, lock{want.Hashes, want.Origin})
		}
	}
}

// resolve finds out which versions a plan asks for, in the order of addresses, the newest first.
func (r *run) resolve(ctx context.Context, plan Plan) ([]*wanted, []*PackageError) {
	versions, failures := make([][]sources.Version, len(plan.Wants)), make([]*PackageError, len(plan.Wants))
	var group errgroup.Group
	group.SetLimit(cmp.Or(r.installer.Queries, installer.DefaultQueries))
	for i, want := range plan.Wants {
		group.Go(func() error {
			var err error
			if versions[i], err = r.choose(ctx, want); err != nil {
				failures[i] = r.fail(PackageError{Provider: want.Provider, Version: want.Version, Origin: want.Origin, Err: err})
			}
			return nil
		})
	}
	_ = group.Wait() // failures are kept one by one
	return merge(plan, versions), slices.DeleteFunc(failures, func(f *PackageError) bool { return f == nil })
}

func merge(plan Plan, versions [][]sources.Version) []*wanted {
	type key struct {
		provider sources.Provider
		version  sources.Version
	}
	all := make(map[key]*wanted)
	for i, want := range plan.Wants {
		for _, v := range versions[i] {
			k := key{want.Provider, v}
			if all[k] == nil {
				all[k] = &wanted{provider: want.Provider, version: v, platforms: make(map[sources.Platform]*demand)}
			}
			all[k].add(want, plan.platformsOf(want))
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *wanted) int {
		return cmp.Or(a.provider.Compare(b.provider), b.version.Compare(a.version))
	})
}

// choose returns the versions that a want asks for.
func (r *run) choose(ctx context.Context, want Want) ([]sources.Version, error) {
	if !want.Version.IsZero() {
		return []sources.Version{want.Version}, ctx.Err()
	}
	listing, err := r.installer.Source.Versions(ctx, want.Provider)
	for _, message := range listing.Warnings {
		r.send(Event{Kind: EventWarning, Provider: want.Provider, Message: message})
	}
	if err == nil {
		err = r.complete(listing)
	}
	if err != nil {
		return nil, err
	}
	matching, err := want.matching(listing)
	if err != nil || want.Latest == All {
		return matching, err
	}
	return matching[:min(len(matching), max(1, want.Latest))], nil
}

// matching returns the versions that can be chosen from, the newest first; at least one, or an error.
func (want Want) matching(listing sources.Listing) ([]sources.Version, error) {
	var matching, all []sources.Version
	var unusable error
	for _, a := range listing.Versions {
		all = append(all, a.Version)
		if !want.Constraints.Allows(a.Version) {
			continue
		}
		if err := sources.CheckProtocols(a.Protocols); err != nil {
			unusable = &installer.UnusableError{Version: a.Version, Err: err}
			continue
		}
		matching = append(matching, a.Version)
	}
	switch {
	case len(matching) == 0 && unusable != nil:
		return nil, unusable
	case len(matching) == 0:
		slices.SortFunc(all, sources.Version.Compare)
		return nil, &installer.NoMatchError{Constraints: want.Constraints, Available: all, Asked: listing.Asked}
	}
	slices.SortFunc(matching, func(a, b sources.Version) int { return b.Compare(a) })
	return slices.Compact(matching), nil // some list one version in two spellings
}

// complete makes sure that no source was passed over that may have more versions. Whoever configured it so gets what the
// others list; but what they do not list is no reason to remove anything.
func (r *run) complete(listing sources.Listing) error {
	if !r.removing {
		return nil
	}
	for _, asked := range listing.Asked {
		if asked.Err != nil && !errors.Is(asked.Err, sources.ErrNotFound) {
			return &IncompleteError{Source: asked.Source, Err: asked.Err}
		}
	}
	return nil
}
