package registrytest

import (
	"encoding/json"
	"fmt"
	"sync"
)

// The types of an OCI artifact with a provider:
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci.
const (
	artifactTypeProvider = "application/vnd.opentofu.provider"
	artifactTypeTarget   = "application/vnd.opentofu.provider-target"
	mediaTypeIndex       = "application/vnd.oci.image.index.v1+json"
	mediaTypeManifest    = "application/vnd.oci.image.manifest.v1+json"
	mediaTypeEmpty       = "application/vnd.oci.empty.v1+json"
	mediaTypeZip         = "archive/zip"
)

// indexJSON is https://github.com/opencontainers/image-spec/blob/v1.1.1/image-index.md.
type indexJSON struct {
	SchemaVersion int              `json:"schemaVersion"`
	MediaType     string           `json:"mediaType"`
	ArtifactType  string           `json:"artifactType,omitempty"`
	Manifests     []descriptorJSON `json:"manifests"`
}

// imageJSON is https://github.com/opencontainers/image-spec/blob/v1.1.1/manifest.md.
type imageJSON struct {
	SchemaVersion int              `json:"schemaVersion"`
	MediaType     string           `json:"mediaType"`
	ArtifactType  string           `json:"artifactType"`
	Config        descriptorJSON   `json:"config"`
	Layers        []descriptorJSON `json:"layers"`
}

// descriptorJSON is https://github.com/opencontainers/image-spec/blob/v1.1.1/descriptor.md.
type descriptorJSON struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Digest       string            `json:"digest"`
	Size         int64             `json:"size"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	Platform     *ociPlatformJSON  `json:"platform,omitempty"`
}

type ociPlatformJSON struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// emptyBlob is the configuration of artifacts that have none.
var emptyBlob = memoryFile("", []byte("{}"))

func (f *file) digest() string { return fmt.Sprintf("sha256:%x", f.sha256) }

func (f *file) descriptor(mediaType string) descriptorJSON {
	return descriptorJSON{MediaType: mediaType, Digest: f.digest(), Size: f.size}
}

// offer makes a release an artifact in the provider's repository. The tag comes last, so that nobody sees half of it.
func (o *ociRegistry) offer(p *published) {
	repository := o.repository(p.addr)
	if repository == "" {
		return
	}
	o.offered.add(repository, p.addr)
	o.blobs.put(repository, emptyBlob.digest(), emptyBlob)
	index := indexJSON{SchemaVersion: 2, MediaType: mediaTypeIndex, ArtifactType: artifactTypeProvider, Manifests: []descriptorJSON{}}
	for _, platform := range p.release.Platforms {
		index.Manifests = append(index.Manifests, o.offerPackage(repository, platform, p.archives[platform]))
	}
	o.engine.put(repository, tagOfVersion(p.release.Version), mediaTypeIndex, encoded(index))
}

// offerPackage makes one platform's archive an image, and describes it as the index does.
func (o *ociRegistry) offerPackage(repository, platform string, archive *file) descriptorJSON {
	o.blobs.put(repository, archive.digest(), archive)
	image := encoded(imageJSON{
		SchemaVersion: 2,
		MediaType:     mediaTypeManifest,
		ArtifactType:  artifactTypeTarget,
		Config:        emptyBlob.descriptor(mediaTypeEmpty),
		Layers:        []descriptorJSON{archive.descriptor(mediaTypeZip)},
	})
	digest, where := digestOf(image), platformOf(platform)
	o.engine.put(repository, digest, mediaTypeManifest, image)
	return descriptorJSON{
		MediaType:    mediaTypeManifest,
		ArtifactType: artifactTypeTarget,
		Digest:       digest,
		Size:         int64(len(image)),
		Platform:     &ociPlatformJSON{Architecture: where.Arch, OS: where.OS},
	}
}

// withdraw removes the tag of a release. What it named stays, as it does in registries until somebody collects garbage.
func (o *ociRegistry) withdraw(addr address, version string) {
	if repository := o.repository(addr); repository != "" {
		o.engine.remove(repository, tagOfVersion(version))
	}
}

func encoded(doc any) []byte {
	data, _ := json.Marshal(doc) // documents hold nothing that does not marshal
	return data
}

// offers is whose releases are in which repository. Several providers may share one, if Config.OCI says so; the last counts.
type offers struct {
	mu    sync.RWMutex
	addrs map[string]address
}

func (o *offers) add(repository string, addr address) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.addrs == nil {
		o.addrs = map[string]address{}
	}
	o.addrs[repository] = addr
}

func (o *offers) provider(repository string) address {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.addrs[repository]
}
