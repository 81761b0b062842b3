package ocilayout

import (
	"cmp"
	"fmt"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// The media types of manifests of Docker, which the specification allows beside its own.
const (
	mediaTypeDockerList  = "application/vnd.docker.distribution.manifest.list.v2+json"
	mediaTypeDockerImage = "application/vnd.docker.distribution.manifest.v2+json"
)

// isManifest reports whether a media type is that of a document that leads to others.
func isManifest(mediaType string) bool {
	switch mediaType {
	case ocispec.MediaTypeImageIndex, ocispec.MediaTypeImageManifest, mediaTypeDockerList, mediaTypeDockerImage:
		return true
	}
	return false
}

// link is a reference from one document to another, as far as it matters here.
type link struct {
	MediaType string        `json:"mediaType"`
	Digest    digest.Digest `json:"digest"`
	Size      int64         `json:"size"`
}

// head is what the kinds of manifests have in common.
type head struct {
	MediaType    string `json:"mediaType"`
	ArtifactType string `json:"artifactType"`
	Config       *link  `json:"config"`
	Subject      *link  `json:"subject"`
}

// kind returns the type of an artifact: that of the config, where the manifest says none.
func (h *head) kind() string {
	if h.ArtifactType == "" && h.Config != nil {
		return h.Config.MediaType
	}
	return h.ArtifactType
}

// Manifest returns the content of a manifest, which is what its digest says.
func (l *Layout) Manifest(d digest.Digest) ([]byte, error) {
	size, ok := l.blobs.stat(d)
	switch {
	case !ok:
		return nil, &Error{Entry: blobPath(d), Kind: ErrMissing}
	case size > MaxManifest:
		return nil, &Error{Entry: blobPath(d), Kind: ErrTooLarge, Detail: fmt.Sprintf("the manifest has %d bytes, and the limit is %d", size, MaxManifest)}
	}
	from, err := l.blobs.open(d)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	data, err := readAll(from, 0, size)
	if err == nil && d.Algorithm().FromBytes(data) != d {
		err = &Error{Entry: blobPath(d), Kind: ErrMismatch}
	}
	return data, err
}

// head reads the head of a manifest.
func (l *Layout) head(d digest.Digest) (*head, []byte, error) {
	data, err := l.Manifest(d)
	if err != nil {
		return nil, nil, err
	}
	h := &head{}
	return h, data, decode(blobPath(d), data, h)
}

// Referrers returns the manifests whose subject is the one with this digest.
func (l *Layout) Referrers(subject digest.Digest) ([]ocispec.Descriptor, error) {
	if err := l.index(); err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.subjects[subject], nil
}

// findSubjects reads the manifests that are listed without a name.
func (l *Layout) findSubjects() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := int64(MaxReferrers)
	for _, d := range l.unnamed {
		if !isManifest(d.MediaType) {
			continue
		}
		h, data, err := l.head(d.Digest)
		if err != nil {
			return err
		}
		if left -= int64(len(data)); left < 0 {
			return &Error{Kind: ErrTooLarge, Detail: fmt.Sprintf("more than %d bytes of manifests without a name", MaxReferrers)}
		}
		if h.Subject != nil {
			l.refer(h, d.Digest, int64(len(data)))
		}
	}
	return nil
}

// refer notes a manifest that has a subject, as the list of those that refer to it has it:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-referrers
func (l *Layout) refer(h *head, d digest.Digest, size int64) {
	if l.refers[d] {
		return
	}
	l.refers[d] = true
	l.subjects[h.Subject.Digest] = append(l.subjects[h.Subject.Digest], ocispec.Descriptor{
		MediaType:    cmp.Or(h.MediaType, ocispec.MediaTypeImageManifest),
		ArtifactType: h.kind(),
		Digest:       d,
		Size:         size,
	})
}

// put takes note of a manifest, and names it unless tag is empty.
func (l *Layout) put(repository, tag, mediaType string, d digest.Digest, data []byte) (*head, error) {
	h := &head{}
	if err := decode("manifest", data, h); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.Subject != nil {
		l.refer(h, d, int64(len(data)))
	}
	if tag != "" {
		l.set(repository, tag, ocispec.Descriptor{MediaType: mediaType, ArtifactType: h.ArtifactType, Digest: d, Size: int64(len(data))})
	}
	return h, nil
}
