package ocimirror

import (
	"encoding/json"
	"slices"

	"github.com/opencontainers/go-digest"
	specs "github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// The types by which OpenTofu knows a provider:
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci
const (
	ArtifactTypeProvider = "application/vnd.opentofu.provider"        // of the index, which a version's tag names
	ArtifactTypePackage  = "application/vnd.opentofu.provider-target" // of the manifest of one platform, and of its entry in the index
	MediaTypeArchive     = "archive/zip"                              // of the layer that is the package
)

// The largest accepted documents.
const (
	MaxManifest = 4 << 20 // an index or a manifest, in bytes: what registries have to accept, and what OpenTofu reads
	MaxEntries  = 1000    // entries of an index, layers of a manifest
)

// maxTag is the length of a tag, in bytes:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests
const maxTag = 128

// tagOf returns the tag of a version: a tag has no plus sign, and a version no underscore.
func tagOf(v sources.Version) string { return tagOfSpelling(v.String()) }

// newPackageManifest describes a package as an image of one layer. The same package always has the same manifest.
func newPackageManifest(archive ocispec.Descriptor) ocispec.Manifest {
	return ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: ArtifactTypePackage,
		Config:       ocispec.DescriptorEmptyJSON,
		Layers:       []ocispec.Descriptor{archive},
	}
}

// newArchiveDescriptor describes a package's archive. The title is the name of the file that tools for OCI artifacts
// make of the layer.
func newArchiveDescriptor(name string, sum hashing.Hash, size int64) ocispec.Descriptor {
	return ocispec.Descriptor{
		MediaType:   MediaTypeArchive,
		Digest:      digest.NewDigestFromEncoded(digest.SHA256, sum.Value()),
		Size:        size,
		Annotations: map[string]string{ocispec.AnnotationTitle: name},
	}
}

// newEntry describes a package's manifest as the index does.
func newEntry(manifest []byte, on sources.Platform) ocispec.Descriptor {
	return ocispec.Descriptor{
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: ArtifactTypePackage,
		Digest:       digest.FromBytes(manifest),
		Size:         int64(len(manifest)),
		Platform:     &ocispec.Platform{OS: on.OS, Architecture: on.Arch},
	}
}

// encode returns the JSON of a manifest.
func encode(manifest any) []byte {
	data, err := json.Marshal(manifest)
	if err != nil {
		panic(err) // texts and numbers, which always have a JSON form
	}
	return data
}

// archiveLayers returns the layers that are packages: there should be one.
func archiveLayers(manifest *ocispec.Manifest) []ocispec.Descriptor {
	return slices.DeleteFunc(slices.Clone(manifest.Layers), func(layer ocispec.Descriptor) bool {
		return layer.MediaType != MediaTypeArchive
	})
}
