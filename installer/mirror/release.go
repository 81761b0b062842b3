package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/purveyor-dev/purveyor/sources"
)

// release brings one version into the target: what it lacks is fetched, and published all at once. A package that fails
// does not keep the others back.
func (r *run) release(ctx context.Context, w *wanted) (*Release, []*PackageError) {
	stored, err := r.target.Stored(ctx, w.provider, w.version)
	if err != nil {
		return nil, []*PackageError{r.fail(PackageError{Provider: w.provider, Version: w.version, Err: err})}
	}
	requests := make([]*request, 0, len(w.platforms))
	for _, on := range w.sorted() {
		requests = append(requests, &request{r, w.provider, w.version, on, w.platforms[on], stored[on]})
	}
	s := &shipment{run: r, wanted: w, report: Release{Provider: w.provider, Version: w.version}}
	defer s.discard()
	s.gather(ctx, requests)
	s.publish(ctx)
	return s.outcome()
}

// shipment is what is to be published of one version.
type shipment struct {
	*run
	wanted   *wanted
	parcels  []*parcel
	report   Release
	failures []*PackageError
}

// gather obtains all packages, as far as possible.
func (s *shipment) gather(ctx context.Context, requests []*request) {
	parcels, errs := make([]*parcel, len(requests)), make([]error, len(requests))
	var wait sync.WaitGroup
	for i, q := range requests {
		wait.Go(func() { parcels[i], errs[i] = q.obtain(ctx) })
	}
	wait.Wait()
	for i, q := range requests {
		switch {
		case errs[i] == nil:
			s.parcels = append(s.parcels, parcels[i])
		case !q.demand.needed && isMissing(errs[i]):
			s.report.Missing = append(s.report.Missing, q.on)
			s.send(Event{Kind: EventMissing, Provider: q.provider, Version: q.version, Platform: q.on, Err: errs[i]})
		default:
			s.failPackage(q.on, errs[i])
		}
	}
}

// isMissing reports that a version exists, but not for the platform.
func isMissing(err error) bool {
	var missing *sources.PlatformError
	return errors.As(err, &missing)
}

func (s *shipment) failPackage(on sources.Platform, err error) {
	e := PackageError{Provider: s.wanted.provider, Version: s.wanted.version, Platform: on, Err: err}
	s.failures = append(s.failures, s.fail(e))
}

// publish publishes what there is. A package that the target does not take is left out.
func (s *shipment) publish(ctx context.Context) {
	for len(s.parcels) > 0 {
		pushed, err := s.push(ctx)
		if err == nil {
			s.report.note(pushed)
			s.report.describe(s.parcels)
			s.send(Event{Kind: EventPublished, Provider: s.wanted.provider, Version: s.wanted.version, Pushed: pushed})
			return
		}
		if on, reason := culprit(err); reason != nil && s.leaveOut(on) {
			s.failPackage(on, reason)
			continue
		}
		s.failPackage(sources.Platform{}, err)
		s.discard()
	}
}

// culprit returns the one package that a target does not take, and why; nil when something else is the matter.
func culprit(err error) (sources.Platform, error) {
	var conflict *sources.ConflictError
	var statement *sources.StatementError
	switch {
	case errors.As(err, &conflict):
		return conflict.Platform, conflict
	case errors.As(err, &statement):
		return statement.Platform, statement
	}
	return sources.Platform{}, nil
}

// leaveOut drops a package; false says that it is none of these.
func (s *shipment) leaveOut(on sources.Platform) bool {
	i := slices.IndexFunc(s.parcels, func(p *parcel) bool { return p.archive.Platform == on })
	if i < 0 {
		return false
	}
	_ = os.Remove(s.parcels[i].archive.Path) // the directory goes in the end
	s.parcels = slices.Delete(s.parcels, i, i+1)
	return true
}

// push publishes all packages together. Those that the target has go along, so that it can complete what was cut off. Some
// targets want a file of each: then those that were fetched go alone.
func (s *shipment) push(ctx context.Context) (*sources.Pushed, error) {
	pushed, err := s.target.Push(ctx, s.releaseOf(s.parcels))
	var refused *sources.ReleaseError
	if !errors.As(err, &refused) {
		return pushed, err
	}
	fetched := slices.DeleteFunc(slices.Clone(s.parcels), func(p *parcel) bool { return p.archive.Path == "" })
	present, changed := s.stillThere(ctx)
	switch {
	case len(fetched) == len(s.parcels):
		return nil, err
	case changed != nil:
		return nil, changed
	case len(fetched) == 0:
		return &sources.Pushed{Address: s.target.String(), Present: present}, nil
	}
	if pushed, err = s.target.Push(ctx, s.releaseOf(fetched)); err != nil {
		return nil, err
	}
	pushed.Present = slices.SortedFunc(slices.Values(append(present, pushed.Present...)), sources.Platform.Compare)
	return pushed, nil
}

// stillThere returns the packages that need not be published. It is an error if one of them has gone since they were compared.
func (s *shipment) stillThere(ctx context.Context) ([]sources.Platform, error) {
	stored, err := s.target.Stored(ctx, s.wanted.provider, s.wanted.version)
	if err != nil {
		return nil, err
	}
	var present []sources.Platform
	for _, p := range s.parcels {
		on := p.archive.Platform
		switch {
		case p.archive.Path != "":
		case stored[on] != p.archive.Sum:
			return nil, fmt.Errorf("somebody has removed the package for %s from the mirror meanwhile: build again", on)
		default:
			present = append(present, on)
		}
	}
	return present, nil
}

func (s *shipment) releaseOf(parcels []*parcel) sources.Release {
	r := sources.Release{Provider: s.wanted.provider, Version: s.wanted.version}
	for _, p := range parcels {
		r.Archives = append(r.Archives, p.archive)
		r.Statement = cmp.Or(r.Statement, p.statement)
	}
	return r
}

// discard removes the archives, which are published or worth nothing.
func (s *shipment) discard() {
	for _, p := range s.parcels {
		if p.archive.Path != "" {
			_ = os.Remove(p.archive.Path) // the directory goes in the end
		}
	}
	s.parcels = nil
}

// outcome returns what to report.
func (s *shipment) outcome() (*Release, []*PackageError) {
	rel := &s.report
	if len(rel.Added)+len(rel.Present) == 0 && (len(rel.Missing) == 0 || len(s.failures) > 0) {
		rel = nil
	}
	return rel, s.failures
}
