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
	r, err := in.begin(ctx, &req)
	if err != nil {
		return nil, err
	}
	if err := r.in.directories(); err != nil {
		return nil, err
	}
	needed, failed := r.needed()
	installed, more := each(needed, func(p sources.Provider) (*Package, *ProviderError) { return r.install(ctx, p) })
	failed = append(failed, more...)
	return req.result(installed, len(failed) == 0), asError(failed)
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

// result puts together what became of a request, of which all providers are installed or not.
func (req *Request) result(installed []*Package, all bool) *Result {
	result := &Result{Locks: req.keptLocks(all)}
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

// keptLocks returns the old entries that remain unless there is something new: those of required providers if all
// succeeded, otherwise every one, since what failed may be the misspelt name of one that seems not to be required.
func (req *Request) keptLocks(all bool) Locks {
	kept := req.Locks.Clone()
	maps.DeleteFunc(kept, func(p sources.Provider, _ Lock) bool {
		_, required := req.Requirements[p]
		return all && !required && !req.Readonly
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
	found      bool           // it was there
	location   string         // where it was fetched from; empty if it was there
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
	if phase != PhaseInstall { // which is for one platform
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
		j.send(Event{Kind: EventRetrying, Path: j.home().path, Err: err})
	}
}

// prunedTries is how often more a package that a pruning removed is brought.
const prunedTries = 3

// errPruned says that a package in the cache is gone that was there a moment ago.
var errPruned = errors.New("the package was removed from the cache, or changed there, while it was being installed")

// tryPlace fails with errPruned if the cache is pruned of the package meanwhile.
func (j *job) tryPlace(ctx context.Context) (*Package, error) {
	project := j.entry(j.in.Dir)
	have, err := j.find(ctx, project)
	if err == nil && have == nil {
		have, err = j.bring(ctx, project)
	}
	if err != nil {
		return nil, err
	}
	pkg, err := j.pkg(project, have)
	if err != nil {
		return nil, j.prunedIf(have, err)
	}
	if have.found && have.dir == project.path {
		j.send(Event{Kind: EventPresent, Path: project.path, Proof: have.proof})
	} else {
		j.send(Event{Kind: EventInstalled, Path: project.path})
	}
	return pkg, nil
}

// find returns the package in Dir if it is proven; nil if it is not.
func (j *job) find(ctx context.Context, project entry) (*stored, error) {
	j.useLinked(project, j.home())
	return j.look(ctx, project)
}

// bring obtains the package and puts it into Dir, unless it is stored there.
func (j *job) bring(ctx context.Context, project entry) (*stored, error) {
	have, err := j.obtain(ctx, j.home())
	if err != nil || have.dir == project.path {
		return have, err
	}
	if err := j.link(ctx, have, project); err != nil {
		return nil, j.prunedIf(have, err)
	}
	return have, nil
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

// look returns the package in an entry's place if it is proven; nil if it is not.
func (j *job) look(ctx context.Context, at entry) (*stored, error) {
	proof, err := j.prove(ctx, at.path)
	if err != nil || proof == nil {
		return nil, err
	}
	if at != j.entry(j.in.Dir) {
		j.send(Event{Kind: EventCacheHit, Path: at.path, Proof: proof})
	}
	return &stored{dir: at.path, proof: proof, found: true}, nil
}
