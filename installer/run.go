package installer

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/purveyor-dev/purveyor/internal/notify"
	"github.com/purveyor-dev/purveyor/sources"
)

// run is one call of an Installer's methods: its settings, its request, and what bounds its work.
type run struct {
	in          *settings
	req         *Request
	platforms   []sources.Platform // that have to be able to use the selected versions
	memo        sources.Source     // Installer.Source, with its answers remembered
	queries     *semaphore.Weighted
	lanes       lanes
	connections *semaphore.Weighted
	unpacks     *semaphore.Weighted
	underway    *semaphore.Weighted // packages that may hold files and locks: as many as can do any of the above
	arrived     atomic.Int64        // bytes of archives, in all
	notifier    *notify.Notifier[Event]
}

// begin checks everything that can be checked before anybody is asked.
func (in *Installer) begin(ctx context.Context, req *Request) (*run, error) {
	s, err := in.settings()
	if err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	return &run{
		in:          s,
		req:         req,
		platforms:   []sources.Platform{s.Platform},
		memo:        sources.Memo(s.Source),
		queries:     semaphore.NewWeighted(int64(s.Queries)),
		lanes:       newLanes(s.Downloads),
		connections: semaphore.NewWeighted(int64(s.Connections)),
		unpacks:     semaphore.NewWeighted(int64(s.Unpacks)),
		underway:    semaphore.NewWeighted(total(s.Queries, s.Downloads, s.Unpacks)),
		notifier:    &notify.Notifier[Event]{Context: ctx, Notify: s.Notify, Logger: s.Logger, Level: Event.level, Record: Event.record},
	}, nil
}

// total adds bounds up. Any of them may be as large as a number can be.
func total(bounds ...int) (n int64) {
	for _, bound := range bounds {
		n += min(int64(bound), math.MaxInt64-n)
	}
	return n
}

func (r *run) send(e Event) { r.notifier.Send(e) }

// fail reports that a provider failed before a version was selected, and returns the failure.
func (r *run) fail(p sources.Provider, err error) *ProviderError {
	r.send(Event{Kind: EventFailed, Provider: p, Err: err})
	return &ProviderError{Provider: p, Phase: PhaseResolve, Err: err}
}

// each does the same for all items side by side and returns, in their order, what succeeded and what failed.
func each[In, Out any](items []In, do func(In) (*Out, *ProviderError)) ([]*Out, []*ProviderError) {
	outs, failures := make([]*Out, len(items)), make([]*ProviderError, len(items))
	var wait sync.WaitGroup
	for i, item := range items {
		wait.Go(func() { outs[i], failures[i] = do(item) })
	}
	wait.Wait()
	return present(outs), present(failures)
}

func present[T any](pointers []*T) []*T {
	var set []*T
	for _, p := range pointers {
		if p != nil {
			set = append(set, p)
		}
	}
	return set
}
