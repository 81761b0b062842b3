package ocimirror

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/sources"
)

// draft is the index of a version, as somebody who publishes sees it. What others have put into it is kept as it is. Its
// bytes depend on nothing but its content: entries are in the order of their platforms, and there is no date.
type draft struct {
	entries              []entry
	subject, annotations json.RawMessage // of an index that somebody else made; nil: none

	stored []byte // what the tag names; nil: something else, or nothing
}

// entry is one manifest in an index.
type entry struct {
	ocispec.Descriptor
	raw json.RawMessage
}

func newDraftEntry(descriptor ocispec.Descriptor) entry {
	return entry{Descriptor: descriptor, raw: encode(descriptor)}
}

// indexDocument is the JSON of an index: https://github.com/opencontainers/image-spec/blob/v1.1.1/image-index.md
type indexDocument struct {
	SchemaVersion int                   `json:"schemaVersion"`
	MediaType     string                `json:"mediaType"`
	ArtifactType  string                `json:"artifactType"`
	Manifests     list[json.RawMessage] `json:"manifests"`
	Subject       json.RawMessage       `json:"subject,omitempty"`
	Annotations   json.RawMessage       `json:"annotations,omitempty"`
}

// newDraft reads what the tag of a version names: nil for nothing. What is no provider is not touched.
func newDraft(m *manifest) (*draft, error) {
	if m == nil {
		return &draft{}, nil
	}
	if err := m.check(ocispec.MediaTypeImageIndex, ArtifactTypeProvider); err != nil {
		return nil, fmt.Errorf("%w; it was left alone: publish to another repository, or delete the tag", err)
	}
	var doc indexDocument
	if err := m.decode(&doc); err != nil {
		return nil, err
	}
	d := &draft{subject: doc.Subject, annotations: doc.Annotations, stored: m.body}
	for i, raw := range doc.Manifests {
		e := entry{raw: raw}
		if err := json.Unmarshal(raw, &e.Descriptor); err != nil {
			return nil, &ArtifactError{m.artifact, fmt.Sprintf("manifests[%d]: %v", i, err)}
		}
		d.entries = append(d.entries, e)
	}
	return d, nil
}

// bytes returns the document: the one that the tag names, if this is it.
func (d *draft) bytes() []byte {
	if d.stored != nil {
		return d.stored
	}
	doc := indexDocument{
		SchemaVersion: 2,
		MediaType:     ocispec.MediaTypeImageIndex,
		ArtifactType:  ArtifactTypeProvider,
		Manifests:     []json.RawMessage{},
		Subject:       d.subject,
		Annotations:   d.annotations,
	}
	for _, e := range d.entries {
		doc.Manifests = append(doc.Manifests, e.raw)
	}
	return encode(doc)
}

// descriptor describes the document.
func (d *draft) descriptor() ocispec.Descriptor {
	data := d.bytes()
	return ocispec.Descriptor{MediaType: ocispec.MediaTypeImageIndex, Digest: digest.FromBytes(data), Size: int64(len(data))}
}

// packages returns the entries for a platform: those among which OpenTofu would look for its package. It knows neither
// variants of a processor nor features of a system.
func (d *draft) packages(on sources.Platform) []entry {
	var found []entry
	for _, e := range d.entries {
		if e.platform() == on {
			found = append(found, e)
		}
	}
	return found
}

// platforms returns the platforms that there are packages for, sorted.
func (d *draft) platforms() []sources.Platform {
	var all []sources.Platform
	for _, e := range d.entries {
		if on := e.platform(); !on.IsZero() {
			all = append(all, on)
		}
	}
	slices.SortFunc(all, sources.Platform.Compare)
	return slices.Compact(all)
}

// with returns a draft that has these entries, and no others for their platforms.
func (d *draft) with(entries ...entry) *draft {
	next := &draft{entries: slices.Clone(d.entries), subject: d.subject, annotations: d.annotations}
	for _, added := range entries {
		next.entries = slices.DeleteFunc(next.entries, func(e entry) bool { return e.platform() == added.platform() })
		next.entries = append(next.entries, added)
	}
	slices.SortStableFunc(next.entries, func(a, b entry) int {
		return cmp.Or(a.platform().Compare(b.platform()), bytes.Compare(a.raw, b.raw))
	})
	return next
}

// platform returns the platform that an entry has the package for; zero if it is something else.
func (e *entry) platform() sources.Platform {
	if e.ArtifactType != ArtifactTypePackage || e.Platform == nil || e.Platform.OSVersion != "" {
		return sources.Platform{}
	}
	on, err := sources.ParsePlatform(e.Platform.OS + "_" + e.Platform.Architecture)
	if err != nil {
		return sources.Platform{}
	}
	return on
}
