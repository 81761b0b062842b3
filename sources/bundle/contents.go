package bundle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/ocilayout"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// Item is one version of a provider in a bundle.
type Item struct {
	Provider  sources.Provider
	Version   sources.Version
	Digest    string             // of its index, "sha256:…", by which other tools find it
	Platforms []sources.Platform // that have packages, sorted

	// Signed says that signed checksums came along. Whether they hold, [Bundle.Verify] finds out.
	Signed bool

	// Signer is whose signature Verify found to hold for all packages, and to be accepted; nil: nobody's, or nobody looked.
	Signer *hashing.Signer
}

func compareItems(a, b Item) int {
	return cmp.Or(a.Provider.Compare(b.Provider), a.Version.Compare(b.Version))
}

// Contents lists what there is, sorted by provider and version. It reads a document or two for each version. What is not of a
// provider is passed over; a version that cannot be read is an error, a [*FileError] or a [*sources.Error].
func (b *Bundle) Contents(ctx context.Context) ([]Item, error) {
	items, _, err := b.contents(ctx)
	return items, b.failure(opList, err)
}

// contents also returns the names of what is not of a provider.
func (b *Bundle) contents(ctx context.Context) (items []Item, foreign []string, err error) {
	for repository, tags := range b.layout.Repositories() {
		taken, err := b.versions(ctx, repository, tags)
		if err != nil {
			return nil, nil, err
		}
		for _, tag := range tags {
			if item := taken[tag]; item != nil {
				items = append(items, *item)
			} else {
				foreign = append(foreign, ocilayout.Name(repository, tag))
			}
		}
	}
	slices.SortFunc(items, compareItems)
	slices.Sort(foreign)
	return items, foreign, nil
}

// versions describes those tags of a repository that are versions of a provider.
func (b *Bundle) versions(ctx context.Context, repository string, tags []string) (map[string]*Item, error) {
	p, ok := providerOf(repository)
	if !ok {
		return nil, nil
	}
	taken := map[string]*Item{}
	for v, tag := range preferred(tags) {
		d, _ := b.layout.Resolve(repository, tag)
		item, err := b.item(ctx, p, v, d)
		if err != nil {
			return nil, err
		}
		taken[tag] = item
	}
	return taken, nil
}

// preferred returns the versions among tags: of two spellings the usual one or else the longer, as the source prefers them.
func preferred(tags []string) map[sources.Version]string {
	best := map[sources.Version]string{}
	for _, tag := range tags {
		v, ok := versionOf(tag)
		if other, twice := best[v]; ok && (!twice || tag == tagOf(v) || other != tagOf(v) && len(tag) > len(other)) {
			best[v] = tag
		}
	}
	return best
}

// item describes a version; nil if it is something else than the version of a provider.
func (b *Bundle) item(ctx context.Context, p sources.Provider, v sources.Version, d ocispec.Descriptor) (*Item, error) {
	data, err := b.layout.Manifest(d.Digest)
	if err != nil {
		return nil, err
	}
	var head struct {
		ArtifactType string `json:"artifactType"`
	}
	if json.Unmarshal(data, &head) != nil || head.ArtifactType != ocimirror.ArtifactTypeProvider {
		return nil, nil
	}
	item := &Item{Provider: p, Version: v, Digest: d.Digest.String()}
	if item.Platforms, err = b.platforms(ctx, p, v); err != nil {
		return nil, err
	}
	referring, err := b.layout.Referrers(d.Digest)
	item.Signed = slices.ContainsFunc(referring, func(r ocispec.Descriptor) bool { return r.ArtifactType == ocimirror.ArtifactTypeStatement })
	return item, err
}

// platforms returns the platforms that a version has packages for: asked for one without a name, the source names them.
func (b *Bundle) platforms(ctx context.Context, p sources.Provider, v sources.Version) ([]sources.Platform, error) {
	_, err := b.Package(ctx, p, v, sources.Platform{})
	var absent *sources.PlatformError
	switch {
	case errors.As(err, &absent):
		return absent.Available, nil
	case err == nil:
		err = &FileError{Bundle: b.name, Entry: nameOf(p, v), Reason: ErrDocument, Detail: "it has a package for a platform without a name"}
	}
	return nil, err
}
