package ocimirror

import (
	"fmt"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/sources"
)

// packageIndex is what a version's tag names, as far as it is to be read: the packages for all platforms.
type packageIndex struct {
	*manifest
	packages []ocispec.Descriptor // other entries are nobody's business
}

// newPackageIndex reads the index of a version. Entries that are no packages are passed over; one that says it is a package must
// be one, whatever its platform.
func newPackageIndex(m *manifest) (*packageIndex, error) {
	if err := m.check(ocispec.MediaTypeImageIndex, ArtifactTypeProvider); err != nil {
		return nil, err
	}
	var document struct {
		Manifests list[*ocispec.Descriptor] `json:"manifests"`
	}
	if err := m.decode(&document); err != nil {
		return nil, err
	}
	x := &packageIndex{manifest: m}
	for i, entry := range document.Manifests {
		if problem := x.add(entry); problem != "" {
			return nil, &ArtifactError{m.artifact, fmt.Sprintf("manifests[%d] %s", i, problem)}
		}
	}
	if len(x.packages) == 0 {
		return nil, &ArtifactError{m.artifact, "the index has no packages of a provider; is it that of a container image?"}
	}
	return x, nil
}

// add takes an entry if it is a package, and says what is wrong with one that claims to be.
func (x *packageIndex) add(entry *ocispec.Descriptor) (problem string) {
	switch {
	case entry == nil:
		return "is null"
	case entry.ArtifactType != ArtifactTypePackage:
		return ""
	case entry.MediaType != ocispec.MediaTypeImageManifest:
		return fmt.Sprintf("has the media type %s, and a package has %s", quoted(entry.MediaType), ocispec.MediaTypeImageManifest)
	case entry.Platform == nil:
		return "has no platform"
	}
	x.packages = append(x.packages, *entry)
	return ""
}

// find returns the entry for a platform.
func (x *packageIndex) find(on sources.Platform) (ocispec.Descriptor, error) {
	var found []ocispec.Descriptor
	for _, entry := range x.packages {
		if p := entry.Platform; p.OS == on.OS && p.Architecture == on.Arch && p.OSVersion == "" {
			found = append(found, entry)
		}
	}
	switch len(found) {
	case 0:
		return ocispec.Descriptor{}, &sources.PlatformError{Platform: on, Available: x.platforms()}
	case 1:
		return found[0], checkDescriptor(x.artifact, found[0])
	}
	variants := make([]string, len(found))
	for i, entry := range found {
		variants[i] = variantOf(entry)
	}
	return ocispec.Descriptor{}, &AmbiguousError{Artifact: x.artifact, Platform: on, Variants: variants}
}

// variantOf describes an entry: "linux/arm/v6 (sha256:…)".
func variantOf(entry ocispec.Descriptor) string {
	p := entry.Platform
	text := p.OS + "/" + p.Architecture
	for _, more := range append([]string{p.Variant}, p.OSFeatures...) {
		if more != "" {
			text += "/" + more
		}
	}
	return fmt.Sprintf("%s (%s)", shown(text), shown(string(entry.Digest)))
}

// maxPlatform is the length of the longest name of a platform that is told of; there are none of half that length.
const maxPlatform = 64

// platforms returns the platforms that there are packages for, sorted.
func (x *packageIndex) platforms() []sources.Platform {
	var all []sources.Platform
	for _, entry := range x.packages {
		name := entry.Platform.OS + "_" + entry.Platform.Architecture
		on, err := sources.ParsePlatform(name)
		if err == nil && len(name) <= maxPlatform && entry.Platform.OSVersion == "" && !slices.Contains(all, on) {
			all = append(all, on)
		}
	}
	slices.SortFunc(all, sources.Platform.Compare)
	return all
}
