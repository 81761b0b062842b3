package ocimirror

import (
	"context"
	"sync"

	"github.com/opencontainers/go-digest"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// TargetConfig says where a [Target] publishes.
type TargetConfig struct {
	Config // Repository is required; the credentials must allow to push

	// Replace lets a release take the place of another one that was published for the same platform and version. It is
	// for repairs: whoever publishes something of the version at the same time may bring the old package back.
	Replace bool
}

// Target publishes the packages of providers in OCI registries. It is safe for concurrent use, also with other targets
// for the same repositories, in this process and elsewhere.
type Target struct {
	config TargetConfig
	source *Source // of the same repositories

	mu      sync.Mutex
	outlets map[*repository]*remote.Repository
	holders map[held]*repository
	locks   map[string]chan struct{}
}

// held is a blob in a registry.
type held struct {
	registry string
	digest   digest.Digest
	size     int64
}

func heldAt(r *repository, b blob) held { return held{r.ref.Registry, b.Digest, b.Size} }

// NewTarget returns a target. It makes no request, and looks for no credentials. The error is a [*sources.FieldError].
func NewTarget(config TargetConfig) (*Target, error) {
	source, err := New(config.Config)
	if err != nil {
		return nil, err
	}
	return &Target{
		config:  config,
		source:  source,
		outlets: map[*repository]*remote.Repository{},
		holders: map[held]*repository{},
		locks:   map[string]chan struct{}{},
	}, nil
}

// String returns "OCI mirror NAME".
func (t *Target) String() string { return t.source.String() }

// Push publishes a release. What is there already is neither sent again nor changed, so that a release which was cut off
// is completed by publishing it again; the packages of other platforms stay. A release that has been published is not
// replaced, unless [TargetConfig.Replace] says so. An archive without a Path is not looked for: only the manifests say that
// it is there. Either all packages become visible, or none.
//
// The error is a [*sources.Error]. Another archive for the same platform is a [*sources.ConflictError]. Archives are hashed
// once more on their way: a file that is not the one that was verified is a [*hashing.MismatchError]. A statement that does
// not verify is a *signature.Error (package hashing/signature) or a [*hashing.SumsError]; one that leaves out or contradicts
// a package of the version is a [*sources.StatementError]. A release that [sources.Release.Check] refuses, whose version is
// too long for a tag, whose provider has no repository, or an archive without a Path that is not there, is a
// [*sources.ReleaseError]. What the registry answers is one of the errors of [Source.Versions], or a [*ContendedError].
func (t *Target) Push(ctx context.Context, r sources.Release) (*sources.Pushed, error) {
	pushed, err := t.push(ctx, &r)
	if err != nil {
		return nil, &sources.Error{Op: "publish packages", Source: t.String(), Provider: r.Provider, Version: r.Version, Err: t.source.explain(err)}
	}
	return pushed, nil
}

func (t *Target) push(ctx context.Context, r *sources.Release) (*sources.Pushed, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	repo, err := t.source.connection.repository(r.Provider)
	if err != nil {
		return nil, &sources.ReleaseError{Field: "Provider", Problem: "has no repository here: " + err.Error(), Err: err}
	}
	p := &push{target: t, repo: repo, oras: t.outlet(repo), release: r, sums: map[digest.Digest]hashing.Hash{}}
	p.pushed.Address = repo.String() + ":" + p.tag()
	unlock, err := t.lock(ctx, p.pushed.Address)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return &p.pushed, nil
}

// lock keeps two releases of one version from being published at the same time by this target. That would work, but cost
// more requests.
func (t *Target) lock(ctx context.Context, address string) (unlock func(), err error) {
	for {
		t.mu.Lock()
		taken, busy := t.locks[address]
		if !busy {
			mine := make(chan struct{})
			t.locks[address] = mine
			t.mu.Unlock()
			return func() { t.unlock(address, mine) }, nil
		}
		t.mu.Unlock()
		select {
		case <-taken:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *Target) unlock(address string, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.locks, address)
	close(mine)
}

// outlet returns the client that publishes in a repository.
func (t *Target) outlet(r *repository) *remote.Repository {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.outlets[r] == nil {
		t.outlets[r] = newOutlet(r)
	}
	return t.outlets[r]
}

// hold remembers that a repository has a blob.
func (t *Target) hold(r *repository, b blob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holders[heldAt(r, b)] = r
}

// holder returns the name of another repository of the same registry that has a blob; "" if none is known.
func (t *Target) holder(r *repository, b blob) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	other := t.holders[heldAt(r, b)]
	if other == nil || other == r {
		return ""
	}
	return other.ref.Repository
}

// Stored returns which packages of a version are published, with the zh hashes of their archives: what need not be
// fetched to be published. An empty result says that there is nothing. The error is a [*sources.Error], around what
// Config.Repository says or one of the errors of [Source.Versions].
func (t *Target) Stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	stored, err := t.stored(ctx, p, v)
	if err != nil {
		return nil, &sources.Error{Op: "list packages", Source: t.String(), Provider: p, Version: v, Err: t.source.explain(err)}
	}
	return stored, nil
}

func (t *Target) stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	repo, err := t.source.connection.repository(p)
	if err != nil {
		return nil, err
	}
	m, err := repo.tagged(ctx, tagOf(v))
	if err != nil {
		return nil, err
	}
	d, err := newDraft(m)
	if err != nil {
		return nil, err
	}
	stored := map[sources.Platform]hashing.Hash{}
	for _, on := range d.platforms() {
		entries := d.packages(on)
		sum, err := repo.archiveSum(ctx, entries[0])
		if err != nil {
			return nil, err
		}
		if sum != "" && len(entries) == 1 {
			stored[on] = sum
		}
	}
	return stored, nil
}

var _ sources.Target = (*Target)(nil)
