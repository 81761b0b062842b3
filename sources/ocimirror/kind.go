package ocimirror

import (
	"fmt"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// The types of what people confuse with a provider.
const (
	artifactTypeModule    = "application/vnd.opentofu.modulepkg"
	mediaTypeDockerList   = "application/vnd.docker.distribution.manifest.list.v2+json"
	mediaTypeDockerImage  = "application/vnd.docker.distribution.manifest.v2+json"
	mediaTypeDockerConfig = "application/vnd.docker.container.image.v1+json"
)

// check makes sure that the document is of the types that it has to be: all of them, as OpenTofu insists.
func (m *manifest) check(mediaType, artifactType string) error {
	h := m.header
	switch {
	case m.mediaType == mediaType && h.MediaType == mediaType && h.ArtifactType == artifactType:
		return nil
	case h.MediaType == "" && h.ArtifactType == artifactType:
		return &ArtifactError{m.artifact, "the document does not say its media type, which must be " + mediaType}
	case h.MediaType != "" && h.MediaType != m.mediaType:
		return &ArtifactError{m.artifact, fmt.Sprintf("the registry says that its media type is %s, the document says %s",
			quoted(m.mediaType), quoted(h.MediaType))}
	}
	return &ArtifactError{m.artifact, "this is " + m.kind() + ", where there has to be " + kindOf(mediaType, artifactType)}
}

// kind says what a document is, for people.
func (m *manifest) kind() string {
	if config := m.header.Config; config != nil && m.header.ArtifactType == "" {
		return kindOf(m.mediaType, config.MediaType)
	}
	return kindOf(m.mediaType, m.header.ArtifactType)
}

func kindOf(mediaType, artifactType string) string {
	isIndex := mediaType == ocispec.MediaTypeImageIndex || mediaType == mediaTypeDockerList
	switch artifactType {
	case ArtifactTypeProvider:
		if isIndex {
			return "the index of a provider's packages"
		}
	case ArtifactTypePackage:
		return "a provider's package for one platform"
	case artifactTypeModule:
		return "a module package"
	case ocispec.MediaTypeImageConfig, mediaTypeDockerConfig:
		return "a container image"
	case "":
		if isIndex {
			return "an index without an artifact type, such as container images have"
		}
		return "a document of media type " + quoted(mediaType)
	}
	return "an artifact of type " + quoted(artifactType)
}
