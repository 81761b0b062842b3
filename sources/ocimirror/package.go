package ocimirror

import (
	"context"
	"fmt"
	"io"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// Package implements [sources.Source]. The error is one as for Versions, or a [*sources.Error] around an
// [*AmbiguousError] or a [*sources.PlatformError]. That of Claims, about what was signed, is an [*ArtifactError], a
// *signature.Error (package hashing/signature), a [*hashing.SumsError] or a [*hashing.MismatchError], each without a
// *sources.Error around it.
func (s *Source) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := s.describe(ctx, p, v, on)
	if err != nil {
		return nil, &sources.Error{Op: "describe package", Source: s.String(), Provider: p, Version: v, Platform: on, Err: s.explain(err)}
	}
	return pkg, nil
}

func (s *Source) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	r, err := s.connection.repository(p)
	if err != nil {
		return nil, err
	}
	tagged, err := s.tagged(ctx, r, p, v)
	if err != nil {
		return nil, err
	}
	index, err := newPackageIndex(tagged)
	if err != nil {
		return nil, err
	}
	entry, err := index.find(on)
	if err != nil {
		return nil, err
	}
	found, err := r.described(ctx, entry)
	if err != nil {
		return nil, err
	}
	archive, err := found.archive(on)
	if err != nil {
		return nil, err
	}
	pkg := &sources.Package{Provider: p, Version: v, Platform: on, Location: found.artifact}
	pkg.Content.Archive = r.opener(archive)
	release := signed.Release{Provider: p, Version: v, Platform: on, Archive: zhOf(archive.Digest)}
	pkg.Claims = func(ctx context.Context) (hashing.Claims, error) { return r.claims(ctx, index.descriptor(), release) }
	return pkg, nil
}

// tagged fetches what the tag of a version names, in the repository's own spelling.
func (s *Source) tagged(ctx context.Context, r *repository, p sources.Provider, v sources.Version) (*manifest, error) {
	if len(v.String()) > maxTag {
		return nil, fmt.Errorf("%w: no tag is long enough for version %s", sources.ErrNotFound, v)
	}
	spelling := s.spellings.Of(p, v)
	m, err := r.tagged(ctx, tagOfSpelling(spelling))
	if err != nil || m != nil {
		return m, err
	}
	// Absent: the list of tags tells whether it is the version, or only its spelling.
	if _, err := s.versions(ctx, p); err != nil {
		return nil, err
	}
	if listed := s.spellings.Of(p, v); listed != spelling {
		if m, err := r.tagged(ctx, tagOfSpelling(listed)); err != nil || m != nil {
			return m, err
		}
	}
	return nil, fmt.Errorf("%w: %s has no tag for version %s", sources.ErrNotFound, r, v)
}

// archive returns the layer that is the package.
func (m *manifest) archive(on sources.Platform) (ocispec.Descriptor, error) {
	if err := m.check(ocispec.MediaTypeImageManifest, ArtifactTypePackage); err != nil {
		return ocispec.Descriptor{}, err
	}
	var document struct {
		Layers list[ocispec.Descriptor] `json:"layers"`
	}
	if err := m.decode(&document); err != nil {
		return ocispec.Descriptor{}, err
	}
	layers := archiveLayers(&ocispec.Manifest{Layers: document.Layers})
	if len(layers) != 1 {
		return ocispec.Descriptor{}, &ArtifactError{m.artifact,
			fmt.Sprintf("a package has exactly one layer of media type %s, and this one has %d", MediaTypeArchive, len(layers))}
	}
	return layers[0], m.checkLayer(layers[0], on)
}

// checkLayer checks what the layer that is the package says of itself.
func (m *manifest) checkLayer(layer ocispec.Descriptor, on sources.Platform) error {
	if p := layer.Platform; p != nil && (p.OS != on.OS || p.Architecture != on.Arch) {
		return &ArtifactError{m.artifact, fmt.Sprintf("the package is for %s, not for %s", quoted(p.OS+"_"+p.Architecture), on)}
	}
	if err := checkDescriptor(m.artifact, layer); err != nil {
		return err
	}
	if layer.Digest.Algorithm() != digest.SHA256 {
		return &ArtifactError{m.artifact, fmt.Sprintf("the package has the digest %s, and it must be a sha256", layer.Digest)}
	}
	return nil
}

// claims returns who vouches for a package: the origin's signature if it came along, and otherwise the registry, by the
// digest of the layer.
func (r *repository) claims(ctx context.Context, index ocispec.Descriptor, release signed.Release) (hashing.Claims, error) {
	claims, found, err := r.statementClaims(ctx, index, release)
	if err != nil || found {
		return claims, err
	}
	own := hashing.Claim{Hash: release.Archive, Authority: hashing.Reported, Platform: release.Platform.String()}
	return hashing.Claims{Package: []hashing.Claim{own}}, nil
}

// opener opens the archive of a package.
func (r *repository) opener(archive ocispec.Descriptor) sources.Opener {
	return sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		body, size, err := r.archives.Open(ctx, web.Archive{URL: r.at("blobs", string(archive.Digest)), Immutable: true})
		if err != nil {
			return nil, 0, err
		}
		if size >= 0 && size != archive.Size {
			body.Close()
			return nil, 0, &ArtifactError{r.String() + "@" + string(archive.Digest),
				fmt.Sprintf("the registry offers %d bytes, and the package has %d", size, archive.Size)}
		}
		return body, archive.Size, nil
	})
}
