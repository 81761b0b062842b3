package ocimirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oras.land/oras-go/v2/errdef"

	"github.com/purveyor-dev/purveyor/sources"
)

// tracePrefix begins the tags of manifests: no version begins with a letter, so nobody takes one for a version.
const tracePrefix = "purveyor."

// traceTag returns the tag of a package's own manifest, "purveyor.1.2.3.linux_amd64"; see publish.
func traceTag(v sources.Version, on sources.Platform) string { return tracesOf(v) + on.String() }

func tracesOf(v sources.Version) string { return tracePrefix + tagOf(v) + "." }

// leaveTrace stores the manifest of a package under its own tag.
func (p *push) leaveTrace(ctx context.Context, c *parcel) error {
	tag := traceTag(p.release.Version, c.on)
	stored, err := p.oras.Resolve(ctx, tag)
	switch {
	case errors.Is(err, errdef.ErrNotFound):
	case err != nil:
		return err
	case stored.Digest == c.entry.Digest:
		return nil
	default:
		if err := p.yield(ctx, c); err != nil || c.foreign {
			return err
		}
	}
	return p.putManifest(ctx, c.entry.Descriptor, c.manifest, tag)
}

// checkTraces finds out whether another publisher has had the same place for another archive.
func (p *push) checkTraces(ctx context.Context) error {
	for _, c := range p.parcels {
		stored, err := p.oras.Resolve(ctx, traceTag(p.release.Version, c.on))
		switch {
		case errors.Is(err, errdef.ErrNotFound) || err == nil && stored.Digest == c.entry.Digest:
		case err != nil:
			return err
		default:
			if err := p.yield(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// yield leaves a trace as it is if it is of the same archive. That of another one is in the way.
func (p *push) yield(ctx context.Context, c *parcel) error {
	traced, err := p.trace(ctx, c.on)
	if err != nil || len(traced) == 0 {
		return err
	}
	sum, err := p.archiveOf(ctx, traced[0])
	switch {
	case err != nil:
		return err
	case sum == c.sum:
		c.entry, c.foreign = traced[0], true
		return nil
	}
	return p.conflict(c, sum)
}

// traces returns for which platforms packages of the version have left a trace.
func (p *push) traces(ctx context.Context) ([]sources.Platform, error) {
	var found []sources.Platform
	err := p.repo.tags(ctx, func(tag string) {
		if rest, ok := strings.CutPrefix(tag, tracesOf(p.release.Version)); ok {
			if on, err := sources.ParsePlatform(rest); err == nil {
				found = append(found, on)
			}
		}
	})
	slices.SortFunc(found, sources.Platform.Compare)
	return slices.Compact(found), err
}

// trace returns the entry for the package that has left a trace: one, or none if the trace has gone.
func (p *push) trace(ctx context.Context, on sources.Platform) ([]entry, error) {
	m, err := p.repo.tagged(ctx, traceTag(p.release.Version, on))
	if err != nil || m == nil {
		return nil, err
	}
	if _, err := m.archive(on); err != nil {
		return nil, fmt.Errorf("%w; delete the tag", err)
	}
	return []entry{newDraftEntry(newEntry(m.body, on))}, nil
}
