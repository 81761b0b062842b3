package installer

import (
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Requirements are the providers that are needed, and in which versions.
type Requirements map[sources.Provider]sources.Constraints

// Locks are the contents of a dependency lock file; package lockfile reads and writes it.
type Locks map[sources.Provider]Lock

// Lock is one provider's entry in a dependency lock file.
type Lock struct {
	Version     sources.Version
	Constraints sources.Constraints // for information: those that led to the version
	Hashes      []hashing.Hash      // of the version's packages, for any number of platforms; sorted, unique
}

// Clone returns a copy that shares nothing.
func (l Locks) Clone() Locks {
	clone := make(Locks, len(l))
	for p, lock := range l {
		lock.Hashes = slices.Clone(lock.Hashes)
		clone[p] = lock
	}
	return clone
}

// Equal reports whether both have the same providers in the same versions with the same hashes. Constraints do not
// count, as they do not for the clients: a file that differs in nothing else is not written again.
func (l Locks) Equal(o Locks) bool {
	return maps.EqualFunc(l, o, func(a, b Lock) bool {
		return a.Version == b.Version && slices.Equal(a.Hashes, b.Hashes)
	})
}

// Sorted iterates over the entries in the order of a lock file.
func (l Locks) Sorted() iter.Seq2[sources.Provider, Lock] {
	return func(yield func(sources.Provider, Lock) bool) {
		for _, p := range slices.SortedFunc(maps.Keys(l), sources.Provider.Compare) {
			if !yield(p, l[p]) {
				return
			}
		}
	}
}

// Request is what to install or to lock.
type Request struct {
	// Requirements are the providers needed. A built-in provider of terraform or tofu needs no installation and is
	// passed over, unless it has constraints, which is an error.
	Requirements Requirements

	// Locks is the dependency lock file as it is. Nil: there is none.
	Locks Locks

	// Upgrade selects the newest versions although others are locked, as "terraform init -upgrade" does.
	Upgrade bool

	// Readonly makes it an error, before anything is fetched, if the selection would differ from Locks, as "terraform
	// init -lockfile=readonly" does. Hashes that would be added are no error: [Result.Locks] then equals Locks and
	// [Result.Unrecorded] names the providers.
	Readonly bool

	// OnlyUsable passes over versions of which a source says that they have no package for the platform (with Lock: for
	// each of its platforms) or no usable plugin protocol. By default the newest version is selected all the same and is then an error that
	// names the newest usable one, as with terraform.
	OnlyUsable bool

	// H1 makes Lock record an h1: hash, of the contents, for each platform, as "terraform providers lock" does, and
	// download the packages of which nobody publishes one. By default a hash of the archive (zh:) will do, which is what
	// registries sign and enough to install from them. The h1: hash is needed where packages are unpacked before they
	// are compared, in mirrors and plugin caches, and where the lock file is [Request.Readonly] to those who install: each
	// installation computes it, and terraform and tofu then start only packages whose h1: hash the lock file has.
	H1 bool
}

func (r *Request) check() error {
	if r.Readonly && r.Upgrade {
		return &sources.FieldError{Field: "Request.Upgrade", Problem: "cannot be combined with Readonly: an upgrade changes the lock file"}
	}
	for p := range r.Requirements {
		if p.IsZero() {
			return &sources.FieldError{Field: "Request.Requirements", Problem: "has a zero Provider; make providers with sources.ParseProvider"}
		}
	}
	if r.Readonly {
		return r.checkReadonly()
	}
	return nil
}

// checkReadonly compares requirements and locks as far as that is possible without asking anyone: without an upgrade
// the selected versions are the locked ones.
func (r *Request) checkReadonly() error {
	e := &ReadonlyError{}
	for p := range r.Requirements {
		if _, ok := r.Locks[p]; !ok && !p.BuiltIn() {
			e.Missing = append(e.Missing, p)
		}
	}
	for p := range r.Locks {
		if _, ok := r.Requirements[p]; !ok {
			e.Superfluous = append(e.Superfluous, p)
		}
	}
	if len(e.Missing)+len(e.Superfluous) == 0 {
		return nil
	}
	slices.SortFunc(e.Missing, sources.Provider.Compare)
	slices.SortFunc(e.Superfluous, sources.Provider.Compare)
	return e
}

// needed returns the providers that need a version, in order. Built-in ones with constraints fail.
func (r *run) needed() ([]sources.Provider, []*ProviderError) {
	var needed []sources.Provider
	var failed []*ProviderError
	for _, p := range slices.SortedFunc(maps.Keys(r.req.Requirements), sources.Provider.Compare) {
		switch {
		case !p.BuiltIn():
			needed = append(needed, p)
		case r.req.Requirements[p].String() != "":
			failed = append(failed, r.fail(p, errBuiltInConstraint))
		}
	}
	return needed, failed
}

var errBuiltInConstraint = errors.New("the provider is built into terraform and tofu; its requirement cannot have a version constraint")

// lockedVersion returns the version that the lock file holds the selection to.
func (r *Request) lockedVersion(p sources.Provider) (sources.Version, bool) {
	lock, ok := r.Locks[p]
	return lock.Version, ok && !r.Upgrade
}

// lockedHashes returns the hashes that bind a version.
func (r *Request) lockedHashes(p sources.Provider, v sources.Version) []hashing.Hash {
	if lock, ok := r.Locks[p]; ok && lock.Version == v {
		return lock.Hashes
	}
	return nil
}
