package installer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Install selects, fetches, verifies and installs the required providers. When some fail, the result has the others,
// and the error is an [*Error]; when the context ends, the error also matches the context's. What was installed stays.
func (in *Installer) Install(ctx context.Context, req Request) (*Result, error) {
	r, err := in.begin(&req)
	if err != nil {
		return nil, err
	}
	if err := r.in.directories(); err != nil {
		return nil, err
	}
	needed, failed := req.providers()
	installed, more := each(needed, func(p sources.Provider) (*Package, *ProviderError) { return r.install(ctx, p) })
	return req.result(installed), asError(append(failed, more...))
}

// install does everything for one provider.
func (r *run) install(ctx context.Context, p sources.Provider) (*Package, *ProviderError) {
	started := time.Now()
	selection, failure := r.resolve(ctx, p)
	if failure != nil {
		return nil, failure
	}
	j := &job{
		run:       r,
		selection: selection,
		on:        r.in.Platform,
		locked:    r.req.lockedHashes(p, selection.Version),
	}
	pkg, err := j.place(ctx)
	if err != nil {
		return nil, j.fail(PhaseInstall, err)
	}
	pkg.Duration = time.Since(started)
	return pkg, nil
}

// result puts together what became of a request.
func (req *Request) result(installed []*Package) *Result {
	result := &Result{Locks: req.keptLocks()}
	for _, pkg := range installed {
		result.Packages = append(result.Packages, *pkg)
		lock := Lock{Version: pkg.Version, Constraints: pkg.Constraints, Hashes: pkg.Proof.Hashes}
		if !req.Readonly {
			result.Locks[pkg.Provider] = lock
		} else if !slices.Equal(lock.Hashes, req.Locks[pkg.Provider].Hashes) {
			result.Unrecorded = append(result.Unrecorded, pkg.Provider)
		}
	}
	return result
}

// keptLocks returns the old entries that remain unless there is something new: those of required providers.
func (req *Request) keptLocks() Locks {
	kept := req.Locks.Clone()
	maps.DeleteFunc(kept, func(p sources.Provider, _ Lock) bool {
		_, required := req.Requirements[p]
		return !required && !req.Readonly
	})
	return kept
}

// job is the work on one package: one provider, one version, one platform.
type job struct {
	*run
	selection *Selection
	on        sources.Platform
	locked    []hashing.Hash // that bind the version
}

// stored is a verified package in a directory.
type stored struct {
	dir        string
	proof      *hashing.Proof
	vouched    *hashing.Proof // for the record; nil if the package was there
	location   string         // where it was fetched from; empty: it was there
	downloaded int64          // bytes
}

func (j *job) send(e Event) {
	e.Provider, e.Version, e.Platform = j.selection.Provider, j.selection.Version, j.on
	j.run.send(e)
}

// fail reports the failure and returns it.
func (j *job) fail(phase Phase, err error) *ProviderError {
	j.send(Event{Kind: EventFailed, Err: err})
	e := &ProviderError{Provider: j.selection.Provider, Version: j.selection.Version, Phase: phase, Err: err}
	if phase == PhaseLock {
		e.Platform = j.on
	}
	return e
}

func (j *job) entry(base string) entry {
	return newEntry(base, j.selection.Provider, j.selection.Version, j.on)
}

// place brings the package into Dir.
func (j *job) place(ctx context.Context) (*Package, error) {
	if err := j.underway.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer j.underway.Release(1)
	for again := 0; ; again++ {
		pkg, err := j.tryPlace(ctx)
		if !errors.Is(err, errPruned) || again == prunedTries {
			return pkg, err
		}
	}
}

// prunedTries is how often more a package that a pruning removed is brought.
const prunedTries = 3

// errPruned says that a package in the cache is gone that was there a moment ago.
var errPruned = errors.New("the package was removed from the cache, or changed there, while it was being installed")

// tryPlace fails with errPruned if the cache is pruned of the package meanwhile.
func (j *job) tryPlace(ctx context.Context) (*Package, error) {
	project, home := j.entry(j.in.Dir), j.home()
	if j.in.Link.accepts(project.path) {
		j.useLinked(project, home)
		proof, err := j.prove(ctx, project.path)
		if err != nil {
			return nil, err
		}
		if proof != nil {
			have := &stored{dir: project.path, proof: proof}
			pkg, err := j.pkg(project, have)
			if err != nil {
				return nil, j.prunedIf(have, err)
			}
			j.send(Event{Kind: EventPresent, Path: project.path, Proof: proof})
			return pkg, nil
		}
	}
	have, err := j.obtain(ctx, home)
	if err != nil {
		return nil, err
	}
	if have.dir != project.path {
		if err := j.link(ctx, have, project); err != nil {
			return nil, j.prunedIf(have, err)
		}
	}
	pkg, err := j.pkg(project, have)
	if err != nil {
		return nil, j.prunedIf(have, err)
	}
	j.send(Event{Kind: EventInstalled, Path: project.path})
	return pkg, nil
}

// home is where the package is stored: in the cache, or in the project if there is none.
func (j *job) home() entry { return j.entry(cmp.Or(j.in.CacheDir, j.in.Dir)) }

// prunedIf turns the error that something is missing into errPruned if the package is the cache's, or linked to that. It was
// all there a moment ago.
func (j *job) prunedIf(have *stored, err error) error {
	home := j.home()
	ours := have.dir == home.path || have.dir == j.entry(j.in.Dir).path
	if j.in.CacheDir == "" || !ours || !isMissing(err) {
		return err
	}
	return fmt.Errorf("%s: %w (%w)", home.path, errPruned, err)
}

// isMissing reports whether an error can mean that a package, or files of it, have disappeared: those that were read when
// it happened may be half of them, or none.
func isMissing(err error) bool {
	var executable *ExecutableError
	var mismatch *hashing.MismatchError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &executable) || errors.As(err, &mismatch)
}

func (j *job) pkg(project entry, have *stored) (*Package, error) {
	executable, err := findExecutable(project.path, j.selection.Provider)
	if err != nil {
		return nil, err
	}
	pkg := &Package{
		Selection:  *j.selection,
		Platform:   j.on,
		Dir:        project.path,
		Executable: executable,
		Location:   have.location,
		Downloaded: have.downloaded,
		Proof:      have.proof,
	}
	if have.dir != project.path {
		pkg.Stored = have.dir
	}
	return pkg, nil
}

// obtain makes sure that a verified package is in its home, or elsewhere if the source has it unpacked already.
func (j *job) obtain(ctx context.Context, home entry) (*stored, error) {
	j.use(home)
	have, err := j.look(ctx, home)
	if err != nil || have != nil {
		return have, err
	}
	waiting := func() { j.send(Event{Kind: EventWaiting, Path: home.path}) }
	err = home.exclusively(ctx, waiting, func() error {
		// Whoever had the lock since may have brought the package.
		if have, err = j.look(ctx, home); err == nil && have == nil {
			have, err = j.fetch(ctx, home)
		}
		j.use(home) // it may have been on its way for so long that it looks old
		return err
	})
	if err != nil {
		return nil, err
	}
	return have, nil
}

// look returns the package in its home if it is proven; nil if it is not.
func (j *job) look(ctx context.Context, home entry) (*stored, error) {
	proof, err := j.prove(ctx, home.path)
	if err != nil || proof == nil {
		return nil, err
	}
	j.send(Event{Kind: EventCacheHit, Path: home.path, Proof: proof})
	return &stored{dir: home.path, proof: proof}, nil
}
