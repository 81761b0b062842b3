package ocimirror

import (
	"context"
	"errors"
	"fmt"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// compare finds out which packages the version has already.
func (p *push) compare(ctx context.Context, current *draft) error {
	for i, parcel := range p.parcels {
		missing, err := p.missing(ctx, current, parcel)
		switch {
		case err != nil:
			return err
		case missing && parcel.manifest == nil:
			return &sources.ReleaseError{Field: fmt.Sprintf("Archives[%d]", i), Problem: "has no Path, and " + p.pushed.Address + " does not have it"}
		case missing:
			p.pushed.Added = append(p.pushed.Added, parcel.on)
		default:
			p.pushed.Present = append(p.pushed.Present, parcel.on)
			if stored := current.packages(parcel.on)[0]; stored.Digest != parcel.entry.Digest {
				parcel.entry, parcel.foreign = stored, true // what to put back, should it get lost
			}
		}
	}
	slices.SortFunc(p.pushed.Added, sources.Platform.Compare)
	slices.SortFunc(p.pushed.Present, sources.Platform.Compare)
	return nil
}

// missing reports whether a package has to get into an index. It has not if the same archive is there, by any manifest.
func (p *push) missing(ctx context.Context, d *draft, c *parcel) (bool, error) {
	stored := d.packages(c.on)
	switch {
	case len(stored) == 0:
		return true, nil
	case len(stored) > 1:
		return true, p.conflict(c, "")
	case stored[0].Digest == c.entry.Digest:
		return false, nil
	}
	sum, err := p.archiveOf(ctx, stored[0])
	if err != nil || sum == c.sum {
		return false, err
	}
	return true, p.conflict(c, sum)
}

// conflict is about a platform that has another archive, or no clear one. Nil says that it may be replaced.
func (p *push) conflict(c *parcel, stored hashing.Hash) error {
	if p.target.config.Replace {
		return nil
	}
	return &sources.ConflictError{Address: p.pushed.Address, Platform: c.on, Stored: stored, Pushed: c.sum}
}

// archiveOf returns the hash of the archive in a manifest of somebody else's; "" if it has none that could be installed.
func (p *push) archiveOf(ctx context.Context, e entry) (hashing.Hash, error) {
	p.mu.Lock()
	sum, known := p.sums[e.Digest]
	p.mu.Unlock()
	if known {
		return sum, nil
	}
	sum, err := p.repo.archiveSum(ctx, e)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sums[e.Digest] = sum
	return sum, nil
}

// archiveSum returns the zh of the archive that an entry of an index leads to; "" if it is not the entry of a package.
func (r *repository) archiveSum(ctx context.Context, e entry) (hashing.Hash, error) {
	var artifact *ArtifactError
	archive, err := r.archiveLayer(ctx, e)
	switch {
	case errors.As(err, &artifact):
		return "", nil
	case err != nil:
		return "", err
	}
	return zhOf(archive.Digest), nil
}

func (r *repository) archiveLayer(ctx context.Context, e entry) (ocispec.Descriptor, error) {
	m, err := r.described(ctx, e.Descriptor)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	return m.archive(e.platform())
}
