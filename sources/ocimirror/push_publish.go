package ocimirror

import (
	"bytes"
	"context"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/sources"
)

// maxPublications is how often the index of a version is written, and found to lack something afterwards.
const maxPublications = 10

// publish gets the release into the version's index, beside what is there, and what others are adding at the same time.
//
// A registry has no way to change a tag only if it is still what one has read, so two publishers that read the same
// index, and each add a package, undo each other's work. Therefore each package leaves a trace before, a tag of its
// own for its manifest, which no other package's publisher writes. A publisher then repeats this: read the index and
// the list of traces; if the index lacks a package that has left a trace, write an index that has all, and look again;
// otherwise be done.
//
// When all publishers are done, the index has all of their packages. Let P be the publisher that wrote the index last,
// and Q any other. P looked at the traces once more after that write, and found that what it had written has them all.
// If Q had left its trace by then, the index has Q's package. If Q left its trace later, then Q read the index later
// still, and so as P had written it; since nobody wrote it after P, Q was done with it as it was, which takes that it
// had Q's package.
//
// Two publishers of different packages for one platform write the same trace, and the one who wrote it first hears of the
// other: by the trace, which each looks at once more in the end; or if the other wrote it later than that, then the other
// read the index later still, and found the first one's package there.
//
// A publisher that is killed, or fails, between its last write and its last look may have undone another's work, for
// nobody looks again. So may a registry that shows answers of the past, and a write that was given up and takes effect later. The
// traces remain, and whoever publishes something of the version next, or the same once more, puts the index right.
func (p *push) publish(ctx context.Context) error {
	pause := p.target.newBackoff()
	for attempt := range maxPublications {
		if attempt > 1 { // the first look after the first write is not a sign of others
			if err := pause.wait(ctx); err != nil {
				return err
			}
		}
		done, err := p.publishOnce(ctx)
		if err != nil || done {
			return err
		}
	}
	return &ContendedError{Address: p.pushed.Address, Attempts: maxPublications}
}

// publishOnce brings the index up to date; done if there was nothing to do.
func (p *push) publishOnce(ctx context.Context) (done bool, err error) {
	current, err := p.fetchDraft(ctx)
	if err != nil {
		return false, err
	}
	next, err := p.complete(ctx, current)
	if err != nil {
		return false, err
	}
	accompanied, err := p.accompany(ctx, current, next)
	if err != nil {
		return false, err
	}
	p.pushed.Digest = next.descriptor().Digest.String()
	if next != current {
		p.wrote = true
		return false, p.putManifest(ctx, next.descriptor(), next.bytes(), p.tag())
	}
	if accompanied && p.wrote {
		return true, p.checkTraces(ctx)
	}
	return accompanied, nil
}

// complete returns an index with the packages of the release and with those that have left a trace; the same index if
// it has them all. What it has already stays, whatever its trace says.
func (p *push) complete(ctx context.Context, current *draft) (*draft, error) {
	var add []entry
	for _, parcel := range p.parcels {
		missing, err := p.missing(ctx, current, parcel)
		if err != nil {
			return nil, err
		}
		if missing {
			add = append(add, parcel.entry)
		}
	}
	traces, err := p.traces(ctx)
	if err != nil {
		return nil, err
	}
	for _, on := range traces {
		if p.carries(on) || len(current.packages(on)) > 0 {
			continue
		}
		traced, err := p.trace(ctx, on)
		if err != nil {
			return nil, err
		}
		add = append(add, traced...)
	}
	if len(add) == 0 {
		return current, nil
	}
	return current.with(add...), nil
}

// carries reports whether a package is part of the release.
func (p *push) carries(on sources.Platform) bool {
	for _, parcel := range p.parcels {
		if parcel.on == on {
			return true
		}
	}
	return false
}

// putManifest stores a manifest under a tag or its digest.
func (p *push) putManifest(ctx context.Context, descriptor ocispec.Descriptor, data []byte, reference string) error {
	return p.oras.PushReference(ctx, descriptor, bytes.NewReader(data), reference)
}
