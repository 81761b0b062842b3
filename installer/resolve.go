package installer

import (
	"context"
	"errors"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
)

// Resolve selects a version for each required provider. Nothing is fetched but lists of versions, and nothing at all
// for providers whose locked version is kept. When some providers fail, the resolution has the others, and the error
// is an [*Error].
func (in *Installer) Resolve(ctx context.Context, req Request) (*Resolution, error) {
	r, err := in.begin(ctx, &req)
	if err != nil {
		return nil, err
	}
	needed, failed := r.needed()
	selections, more := each(needed, func(p sources.Provider) (*Selection, *ProviderError) { return r.resolve(ctx, p) })
	resolution := &Resolution{}
	for _, s := range selections {
		resolution.Selections = append(resolution.Selections, *s)
	}
	return resolution, asError(append(failed, more...))
}

// resolve selects one provider's version.
func (r *run) resolve(ctx context.Context, p sources.Provider) (*Selection, *ProviderError) {
	r.send(Event{Kind: EventResolving, Provider: p})
	s, err := r.selectVersion(ctx, p)
	if err != nil {
		return nil, r.fail(p, err)
	}
	r.send(Event{Kind: EventResolved, Provider: p, Version: s.Version})
	return s, nil
}

func (r *run) selectVersion(ctx context.Context, p sources.Provider) (*Selection, error) {
	constraints := r.req.Requirements[p]
	if locked, ok := r.req.lockedVersion(p); ok {
		if !constraints.Allows(locked) {
			return nil, &LockedError{Locked: locked, Constraints: constraints}
		}
		return &Selection{Provider: p, Version: locked, Constraints: constraints, Locked: true}, nil
	}
	listing, err := r.versions(ctx, p)
	for _, message := range listing.Warnings {
		r.send(Event{Kind: EventWarning, Provider: p, Message: message})
	}
	if err != nil {
		return nil, err
	}
	s, err := r.newest(p, constraints, listing.Versions)
	var none *NoMatchError
	if errors.As(err, &none) {
		none.Asked = listing.Asked
	}
	if err != nil {
		return nil, err
	}
	s.Asked = listing.Asked
	return s, nil
}

func (r *run) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	if err := r.queries.Acquire(ctx, 1); err != nil {
		return sources.Listing{}, err
	}
	defer r.queries.Release(1)
	return r.memo.Versions(ctx, p)
}

// newest selects from a listing.
func (r *run) newest(p sources.Provider, constraints sources.Constraints, listing []sources.Available) (*Selection, error) {
	slices.SortFunc(listing, func(a, b sources.Available) int { return a.Version.Compare(b.Version) })
	s := &Selection{Provider: p, Constraints: constraints, Listed: len(listing), listing: listing}
	for _, a := range listing {
		s.Newest = a.Version
		if !constraints.Allows(a.Version) {
			continue
		}
		s.Matching++
		if r.req.OnlyUsable && r.unusable(a) != nil {
			continue
		}
		s.Version, s.From = a.Version, a.From
	}
	if s.Matching == 0 {
		return nil, &NoMatchError{Constraints: constraints, Available: versionsOf(listing)}
	}
	if s.Version.IsZero() {
		return nil, r.noneUsable(constraints, listing)
	}
	return s, nil
}

// unusable says why a version cannot be used, as far as the listing tells.
func (r *run) unusable(a sources.Available) error {
	for _, on := range r.platforms {
		if a.Platforms != nil && !slices.Contains(a.Platforms, on) {
			available := slices.SortedFunc(slices.Values(a.Platforms), sources.Platform.Compare)
			return &sources.PlatformError{Platform: on, Available: available}
		}
	}
	return sources.CheckProtocols(a.Protocols)
}

// noneUsable explains why the newest version that meets the constraints is not usable; nor are the others.
func (r *run) noneUsable(constraints sources.Constraints, listing []sources.Available) error {
	for _, a := range slices.Backward(listing) {
		if constraints.Allows(a.Version) {
			return &UnusableError{Version: a.Version, Err: r.unusable(a)}
		}
	}
	return nil
}

// suggest adds to an error about the selected version's platform or protocol which version to use instead.
func (r *run) suggest(s *Selection, err error) error {
	var platform *sources.PlatformError
	var protocol *sources.ProtocolError
	if !errors.As(err, &platform) && !errors.As(err, &protocol) {
		return err
	}
	unusable := &UnusableError{Version: s.Version, Err: err}
	var source *sources.Error
	if errors.As(err, &source) { // what was asked stands in the error around this one already
		unusable.Source, unusable.Err = source.Source, source.Err
	}
	for _, a := range slices.Backward(s.listing) {
		if a.Version != s.Version && s.Constraints.Allows(a.Version) && r.unusable(a) == nil {
			unusable.Usable = a.Version
			break
		}
	}
	return unusable
}

func versionsOf(listing []sources.Available) []sources.Version {
	versions := make([]sources.Version, len(listing))
	for i, a := range listing {
		versions[i] = a.Version
	}
	return versions
}
