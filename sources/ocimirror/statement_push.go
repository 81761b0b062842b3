package ocimirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// evidence is a statement that was verified, in the form of an artifact that lacks its subject.
type evidence struct {
	document *signed.Document
	manifest ocispec.Manifest
	blobs    []blob // nil: the repository has them
}

// newEvidence verifies the statement of a release.
func newEvidence(r *sources.Release) (*evidence, error) {
	document, err := signed.Verify(r.Statement)
	if err != nil {
		return nil, fmt.Errorf("the signed checksums cannot be published: %w", err)
	}
	e := &evidence{document: document}
	sums := sources.ExecutablePrefix + r.Provider.Type() + "_" + r.Version.String() + "_SHA256SUMS"
	e.add(MediaTypeSums, sums, r.Statement.Sums)
	e.add(MediaTypeSignature, sums+".sig", r.Statement.Signature)
	for i, key := range r.Statement.Keys {
		e.add(MediaTypeKey, fmt.Sprintf("%s.key%d.asc", sums, i+1), []byte(key))
	}
	config := ocispec.DescriptorEmptyJSON
	config.MediaType = ArtifactTypeStatement // by which some registries list an artifact, for want of knowing better
	e.blobs = append(e.blobs, bytesBlob(config, config.Data))
	e.manifest = ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: ArtifactTypeStatement,
		Config:       config,
		Layers:       e.manifest.Layers,
	}
	return e, nil
}

func (e *evidence) add(mediaType, title string, data []byte) {
	layer := ocispec.Descriptor{
		MediaType:   mediaType,
		Digest:      digest.FromBytes(data),
		Size:        int64(len(data)),
		Annotations: map[string]string{ocispec.AnnotationTitle: title},
	}
	e.manifest.Layers = append(e.manifest.Layers, layer)
	e.blobs = append(e.blobs, bytesBlob(layer, data))
}

// covers makes sure that the signature is over a package; over its archive, if its hash is known.
func (e *evidence) covers(r *sources.Release, on sources.Platform, archive hashing.Hash) error {
	_, err := e.document.Claims(signed.Release{Provider: r.Provider, Version: r.Version, Platform: on, Archive: archive})
	return err
}

// about returns the manifest of the statement about an index.
func (e *evidence) about(index ocispec.Descriptor) (ocispec.Descriptor, []byte) {
	manifest := e.manifest
	manifest.Subject = &index
	data := encode(manifest)
	return ocispec.Descriptor{MediaType: manifest.MediaType, ArtifactType: ArtifactTypeStatement, Digest: digest.FromBytes(data), Size: int64(len(data))}, data
}

// accompany makes sure that statements refer to the next index before the tag names it: that of the release, and those
// that refer to the current one, so that nobody ever sees less than there was. It reports whether they did so already:
// what was only written now, others can undo, and the registry might not show.
func (p *push) accompany(ctx context.Context, current, next *draft) (already bool, err error) {
	attached, err := p.attached(ctx, current)
	if err != nil {
		return false, err
	}
	if next == current && p.isAttached(attached, next) {
		p.pushed.Signed = len(attached) > 0
		return true, nil
	}
	all, err := p.collect(ctx, current, attached)
	p.pushed.Signed = len(all) > 0
	if err != nil || len(all) == 0 {
		return false, err
	}
	if err := p.checkCover(next, all); err != nil {
		return false, err
	}
	if next != current {
		attached = nil
		if err := p.putManifest(ctx, next.descriptor(), next.bytes(), next.descriptor().Digest.String()); err != nil {
			return false, err
		}
	}
	return false, p.attach(ctx, all, attached, next)
}

// attached lists the manifests of the statements about an index.
func (p *push) attached(ctx context.Context, d *draft) ([]ocispec.Descriptor, error) {
	if d.stored == nil {
		return nil, nil
	}
	found, hasAPI, err := p.repo.referrers(ctx, d.descriptor().Digest)
	if err == nil && !hasAPI {
		_ = p.oras.SetReferrersCapability(false) // an error says that it knows better, from what it has written
	}
	return found, err
}

// isAttached reports whether the statement of the release, if there is one, is among those.
func (p *push) isAttached(attached []ocispec.Descriptor, d *draft) bool {
	if p.evidence == nil {
		return true
	}
	own, _ := p.evidence.about(d.descriptor())
	return contains(attached, own)
}

// collect returns the statement of the release, and with it those that refer to an index.
func (p *push) collect(ctx context.Context, d *draft, attached []ocispec.Descriptor) ([]*evidence, error) {
	var all []*evidence
	if p.evidence != nil {
		all = append(all, p.evidence)
	}
	for _, descriptor := range attached {
		old, err := p.recover(ctx, d, descriptor)
		if err != nil {
			return nil, err
		}
		if old != nil {
			all = append(all, old)
		}
	}
	if len(all) > MaxStatements {
		return nil, fmt.Errorf("%w: %s would have more than %d statements", sources.ErrTooLarge, p.pushed.Address, MaxStatements)
	}
	return all, nil
}

// recover reads a statement that refers to an index; nil if it is that of the release, or one that the statement of the
// release takes the place of, because it is broken. Without such a replacement it must not get lost.
func (p *push) recover(ctx context.Context, d *draft, descriptor ocispec.Descriptor) (*evidence, error) {
	manifest, err := p.repo.statementManifest(ctx, d.descriptor(), descriptor)
	if err != nil {
		return nil, p.mourn(err)
	}
	bare := *manifest
	bare.Subject = nil
	if p.evidence != nil && bytes.Equal(encode(bare), encode(p.evidence.manifest)) {
		return nil, nil
	}
	name := p.repo.String() + "@" + string(descriptor.Digest)
	statement, err := p.repo.statement(ctx, name, manifest)
	if err != nil {
		return nil, p.mourn(err)
	}
	document, err := signed.Verify(statement)
	switch {
	case err == nil:
		return &evidence{document: document, manifest: bare}, nil
	case p.evidence != nil:
		return nil, nil
	}
	return nil, fmt.Errorf("%s, which the version has, does not verify, and the release brings no other statement: %w", name, err)
}

// mourn returns nil for the error of a statement that is malformed, and that the statement of the release takes the
// place of. One that only cannot be read now may be a good one.
func (p *push) mourn(err error) error {
	if p.evidence != nil && errors.Is(err, sources.ErrMalformed) {
		return nil
	}
	return err
}

// checkCover makes sure that those who verify statements accept each package of an index by one of them.
func (p *push) checkCover(d *draft, all []*evidence) error {
	for _, on := range d.platforms() {
		var archive hashing.Hash
		if i := slices.IndexFunc(p.parcels, func(c *parcel) bool { return c.on == on }); i >= 0 {
			archive = p.parcels[i].sum
		}
		var err error
		if !slices.ContainsFunc(all, func(e *evidence) bool { err = e.covers(p.release, on, archive); return err == nil }) {
			return &sources.StatementError{Platform: on, Err: err}
		}
	}
	return nil
}

// attach stores statements about an index, except for those that are there.
func (p *push) attach(ctx context.Context, all []*evidence, attached []ocispec.Descriptor, d *draft) error {
	for _, e := range all {
		descriptor, manifest := e.about(d.descriptor())
		if contains(attached, descriptor) {
			continue
		}
		for _, b := range e.blobs {
			if err := p.send(ctx, b); err != nil {
				return err
			}
		}
		if err := p.putManifest(ctx, descriptor, manifest, descriptor.Digest.String()); err != nil {
			return err
		}
	}
	return nil
}

func contains(list []ocispec.Descriptor, one ocispec.Descriptor) bool {
	return slices.ContainsFunc(list, func(d ocispec.Descriptor) bool { return d.Digest == one.Digest })
}
