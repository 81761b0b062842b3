package mirror

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
)

// Prunable is a target that can say what it has, and remove some of it. [github.com/purveyor-dev/purveyor/sources/fsmirror.Target]
// is one.
type Prunable interface {
	// Contents returns the versions of each provider that the target has packages of, with their platforms, both sorted.
	// What is in the same place and no package of the target's is not mentioned. The error names the target.
	Contents(ctx context.Context) (map[sources.Provider][]sources.Available, error)

	// Remove removes the packages of a version for these platforms, and with the last of them all that there is about the
	// version. What is not there need not be removed. The error is a [*sources.Error].
	Remove(ctx context.Context, p sources.Provider, v sources.Version, platforms []sources.Platform) error
}

// Surplus is packages of one version that a mirror has, and nobody asks for. It can be encoded as JSON.
type Surplus struct {
	Provider  sources.Provider   `json:"provider"`
	Version   sources.Version    `json:"version"`
	Platforms []sources.Platform `json:"platforms"` // sorted
}

// Surplus returns what [Builder.Prune] would remove, in the order of addresses, the oldest version first. Nothing is
// removed.
//
// What the plan asks for is found out now: a plan for the newest versions asks for others when there are newer ones. It
// must be known in full: if any want cannot be resolved, the error is an [*Error], and there is no surplus; an
// [*IncompleteError] among the failures says that a source that a chain may do without is needed here. Versions that the
// source does not list any more are surplus, unless a want names them ([Want.Version]).
//
// The error is a [*NotPrunableError] if the target is not [Prunable], and a [*sources.FieldError] for what Build refuses, for
// an empty plan, which asks for nothing, and for one that leaves the platforms to the process.
func (b *Builder) Surplus(ctx context.Context, plan Plan) ([]Surplus, error) {
	r, target, err := b.beginPruning(ctx, plan)
	if err != nil {
		return nil, err
	}
	return r.surplus(ctx, target, plan)
}

// Prune removes from the target the packages that a plan does not ask for, and returns what it has removed: the list of
// [Builder.Surplus], if nothing failed. Other files are not touched. What others publish meanwhile stays,
// unless it was there already and is surplus.
//
// If the surplus cannot be found out, nothing is removed, and the error is that of Surplus. Otherwise it is an [*Error] with
// one failure for each version that the target did not remove; when the context ends, it matches the context's.
func (b *Builder) Prune(ctx context.Context, plan Plan) ([]Surplus, error) {
	r, target, err := b.beginPruning(ctx, plan)
	if err != nil {
		return nil, err
	}
	surplus, err := r.surplus(ctx, target, plan)
	if err != nil {
		return nil, err
	}
	var removed []Surplus
	var failures []*PackageError
	for _, s := range surplus {
		if err := target.Remove(ctx, s.Provider, s.Version, s.Platforms); err != nil {
			failures = append(failures, r.fail(PackageError{Provider: s.Provider, Version: s.Version, Err: err}))
			continue
		}
		for _, on := range s.Platforms {
			r.send(Event{Kind: EventRemoved, Provider: s.Provider, Version: s.Version, Platform: on})
		}
		removed = append(removed, s)
	}
	return removed, asError(ctx, failures)
}

func (b *Builder) beginPruning(ctx context.Context, plan Plan) (*run, Prunable, error) {
	r, err := b.begin(ctx, plan)
	if err != nil {
		return nil, nil, err
	}
	target, ok := b.Target.(Prunable)
	if !ok {
		return nil, nil, &NotPrunableError{Target: b.Target.String()}
	}
	if len(plan.Wants) == 0 {
		const problem = "are none, so that everything would be removed: delete the mirror if that is what you want"
		return nil, nil, &sources.FieldError{Field: "Plan.Wants", Problem: problem}
	}
	if i := slices.IndexFunc(plan.Wants, func(w Want) bool { return len(w.Platforms)+len(plan.Platforms) == 0 }); i >= 0 {
		const problem = "are none: for pruning they must be said, lest the packages for all platforms but this one be removed"
		return nil, nil, &sources.FieldError{Field: fmt.Sprintf("Plan.Wants[%d].Platforms", i), Problem: problem}
	}
	r.removing = true
	return r, target, nil
}

func (r *run) surplus(ctx context.Context, target Prunable, plan Plan) ([]Surplus, error) {
	contents, err := target.Contents(ctx) // first: what somebody else adds meanwhile may be newer than what is found out below
	if err != nil {
		return nil, err
	}
	all, failures := r.resolve(ctx, plan)
	if err := asError(ctx, failures); err != nil {
		return nil, err
	}
	var surplus []Surplus
	for _, p := range slices.SortedFunc(maps.Keys(contents), sources.Provider.Compare) {
		for _, have := range contents[p] {
			if platforms := unasked(all, p, have); len(platforms) > 0 {
				surplus = append(surplus, Surplus{Provider: p, Version: have.Version, Platforms: platforms})
			}
		}
	}
	return surplus, nil
}

// unasked returns the platforms of a version that nobody asks for.
func unasked(all []*wanted, p sources.Provider, have sources.Available) []sources.Platform {
	platforms := slices.Clone(have.Platforms)
	for _, w := range all {
		if w.provider == p && w.version == have.Version {
			platforms = slices.DeleteFunc(platforms, func(on sources.Platform) bool { return w.platforms[on] != nil })
		}
	}
	return platforms
}
