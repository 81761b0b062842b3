package mirror

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/notify"
	"github.com/purveyor-dev/purveyor/sources"
)

// DefaultParallel is how many archives are fetched at a time, and how many versions are under way.
const DefaultParallel = 6

// Builder fills a mirror. Installer and Target are required; the zero value of every other field works. Set the fields
// before the first call; the methods are safe for concurrent use, also by several builders for one target.
type Builder struct {
	// Installer says where packages come from and what is accepted. Of its fields, these matter: Source, Policy and Limits;
	// Queries, which bounds the questions about versions; Connections, ConnectionsPerArchive, SegmentSize and Unpacks, which
	// hold for each archive on its own; Notify, which is told of downloads; and Logger, which gets both its events and those
	// of the Builder. Nothing is installed, and Dir is not needed.
	Installer *installer.Installer

	// Target is the mirror.
	Target sources.Target

	// Parallel bounds the archives that are fetched at a time. So many versions are under way at a time, too: more than
	// the archives of these are never in Scratch. Zero: [DefaultParallel]; negative: an error.
	Parallel int

	// Scratch is a directory for archives between their fetching and their publishing. It is created when missing. It is
	// private to the user: one Build uses it at a time, and others wait. A Build that ends leaves nothing in it; what one
	// that was killed has left is verified again and used by the next. It had better be on the file system of a target that
	// is a directory. Empty: a new directory in [os.TempDir], and a killed Build's archives are fetched again.
	Scratch string

	// Notify is told what happens while it happens; see [Event]. The calls that one call of a method makes do not overlap,
	// also not with those of Installer.Notify, and the work waits for them. Nil: nobody is told, apart from the Logger.
	Notify func(Event)
}

// run is one call of a Builder's methods.
type run struct {
	target    sources.Target
	installer *installer.Installer // its Source remembers its answers
	parallel  int
	slots     *semaphore.Weighted // for archives
	scratch   *scratch
	removing  bool // what is not wanted is going to be removed
	notifier  *notify.Notifier[Event]
}

func (b *Builder) begin(ctx context.Context, plan Plan) (*run, error) {
	switch {
	case b.Installer == nil:
		return nil, &sources.FieldError{Field: "Builder.Installer", Problem: "is required: where do packages come from?"}
	case b.Target == nil:
		return nil, &sources.FieldError{Field: "Builder.Target", Problem: "is required: where do packages go?"}
	case b.Parallel < 0:
		return nil, &sources.FieldError{Field: "Builder.Parallel", Problem: "is negative, which allows nothing"}
	}
	if err := checkInstaller(ctx, b.Installer); err != nil {
		return nil, err
	}
	if err := plan.check(); err != nil {
		return nil, err
	}
	r := &run{target: b.Target, parallel: cmp.Or(b.Parallel, DefaultParallel)}
	r.slots = semaphore.NewWeighted(int64(r.parallel))
	r.notifier = &notify.Notifier[Event]{Context: ctx, Notify: b.Notify, Logger: b.Installer.Logger, Level: Event.level, Record: Event.record}
	own := *b.Installer
	own.Source, own.Notify = sources.Memo(own.Source), r.share(own.Notify)
	r.installer = &own
	return r, nil
}

// checkInstaller refuses fields that would make every package fail: to resolve nothing takes no more than that they make sense.
func checkInstaller(ctx context.Context, in *installer.Installer) error {
	_, err := in.Resolve(ctx, installer.Request{})
	var wrong *sources.FieldError
	if errors.As(err, &wrong) {
		return &sources.FieldError{Field: "Builder." + wrong.Field, Problem: wrong.Problem}
	}
	return err
}

func (r *run) send(e Event) { r.notifier.Send(e) }

// share returns a function that tells somebody else the same as theirs, and never while an event is delivered here.
func (r *run) share(theirs func(installer.Event)) func(installer.Event) {
	if theirs == nil {
		return nil // the installer does less for nobody
	}
	return func(e installer.Event) { r.notifier.Alone(func() { theirs(e) }) }
}

// Build brings all that a plan asks for into the target. What is there and right is not fetched again. Where something
// fails, everything else is published all the same: the report says what, and the error is an [*Error] with one failure
// for each package. When the context ends, the error matches the context's, and what was published stays. Fields of the
// Builder, its Installer or the plan that make no sense are a [*sources.FieldError], and nothing is done.
func (b *Builder) Build(ctx context.Context, plan Plan) (_ *Report, err error) {
	r, err := b.begin(ctx, plan)
	if err != nil {
		return nil, err
	}
	if r.scratch, err = openScratch(ctx, b.Scratch); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.scratch.close()) }()
	wanted, failures := r.resolve(ctx, plan)
	report, more := r.releases(ctx, wanted)
	return report, asError(ctx, append(failures, more...))
}

// releases publishes all versions, several at a time.
func (r *run) releases(ctx context.Context, all []*wanted) (*Report, []*PackageError) {
	releases, failures := make([]*Release, len(all)), make([][]*PackageError, len(all))
	underway := semaphore.NewWeighted(int64(r.parallel))
	var wait sync.WaitGroup
	for i, w := range all {
		if err := underway.Acquire(ctx, 1); err != nil {
			failures[i] = []*PackageError{{Provider: w.provider, Version: w.version, Err: err}}
			continue
		}
		wait.Go(func() {
			defer underway.Release(1)
			releases[i], failures[i] = r.release(ctx, w)
		})
	}
	wait.Wait()
	report := &Report{Target: r.target.String(), Releases: []Release{}}
	var failed []*PackageError
	for i := range all {
		if releases[i] != nil {
			report.Releases = append(report.Releases, *releases[i])
		}
		failed = append(failed, failures[i]...)
	}
	return report, failed
}
