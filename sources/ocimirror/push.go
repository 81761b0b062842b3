package ocimirror

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// maxUploads is how many archives of one release are uploaded at the same time.
const maxUploads = 4

// push is the publishing of one release.
type push struct {
	target   *Target
	repo     *repository
	oras     *remote.Repository // of repo, for what is written
	release  *sources.Release
	parcels  []*parcel
	evidence *evidence // the release's statement; nil: none
	wrote    bool      // the index, at least once

	mu     sync.Mutex // guards what follows
	pushed sources.Pushed
	sums   map[digest.Digest]hashing.Hash // of archives, by the manifests of others
}

// parcel is one package on its way into the registry.
type parcel struct {
	on       sources.Platform
	sum      hashing.Hash
	archive  blob
	manifest []byte // nil: it is there, and there is no file
	entry    entry  // of the manifest, in the index
	foreign  bool   // somebody else has published another manifest of the same archive
}

func newParcel(r *sources.Release, i int) (*parcel, error) {
	a := r.Archives[i]
	if a.Path == "" {
		return &parcel{on: a.Platform, sum: a.Sum}, nil
	}
	info, err := os.Stat(a.Path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &sources.ReleaseError{Field: fmt.Sprintf("Archives[%d]", i), Problem: fmt.Sprintf("has the Path %q, which is no file", a.Path)}
	}
	layer := newArchiveDescriptor(sources.ArchiveName(r.Provider, r.Version, a.Platform), a.Sum, info.Size())
	manifest := encode(newPackageManifest(layer))
	return &parcel{
		on:       a.Platform,
		sum:      a.Sum,
		archive:  fileBlob(a.Path, layer),
		manifest: manifest,
		entry:    newDraftEntry(newEntry(manifest, a.Platform)),
	}, nil
}

// run publishes the release: archives and their manifests first, then the index that makes them visible.
func (p *push) run(ctx context.Context) error {
	if err := p.pack(); err != nil {
		return err
	}
	current, err := p.fetchDraft(ctx)
	if err != nil {
		return err
	}
	if err := p.compare(ctx, current); err != nil {
		return err
	}
	if err := p.deliver(ctx); err != nil {
		return err
	}
	return p.publish(ctx)
}

// pack makes the manifests, and verifies the statement: nothing is sent of a release that is not right.
func (p *push) pack() (err error) {
	for i := range p.release.Archives {
		parcel, err := newParcel(p.release, i)
		if err != nil {
			return err
		}
		p.parcels = append(p.parcels, parcel)
	}
	if p.release.Statement == nil {
		return nil
	}
	if p.evidence, err = newEvidence(p.release); err != nil {
		return err
	}
	for _, parcel := range p.parcels {
		if err := p.evidence.covers(p.release, parcel.on, parcel.sum); err != nil {
			return &sources.StatementError{Platform: parcel.on, Err: err}
		}
	}
	return nil
}

// fetchDraft reads the index as it is now.
func (p *push) fetchDraft(ctx context.Context) (*draft, error) {
	m, err := p.repo.tagged(ctx, p.tag())
	if err != nil {
		return nil, err
	}
	return newDraft(m)
}

func (p *push) tag() string { return tagOf(p.release.Version) }

// deliver uploads the packages that have files, each with a trace.
func (p *push) deliver(ctx context.Context) error {
	parcels := slices.DeleteFunc(slices.Clone(p.parcels), func(c *parcel) bool { return c.manifest == nil })
	if len(parcels) == 0 {
		return nil
	}
	if err := p.send(ctx, bytesBlob(ocispec.DescriptorEmptyJSON, ocispec.DescriptorEmptyJSON.Data)); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxUploads)
	for _, parcel := range parcels {
		group.Go(func() error {
			if err := p.send(ctx, parcel.archive); err != nil {
				return fmt.Errorf("the package for %s: %w", parcel.on, err)
			}
			if parcel.foreign {
				return nil
			}
			return p.leaveTrace(ctx, parcel)
		})
	}
	return group.Wait()
}
