package ocimirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// acceptedManifests is what a tag may name: a registry that has something else answers with that even so, or not at all.
var acceptedManifests = strings.Join([]string{
	ocispec.MediaTypeImageIndex,
	ocispec.MediaTypeImageManifest,
	mediaTypeDockerList,
	mediaTypeDockerImage,
}, ", ")

// tagged fetches the manifest that a tag names. A tag that is not there is nil.
func (r *repository) tagged(ctx context.Context, tag string) (*manifest, error) {
	doc, err := r.get(ctx, r.at("manifests", tag), acceptedManifests, MaxManifest)
	switch {
	case isUnknownName(err):
		return nil, nil
	case err != nil || doc.Status == http.StatusNotFound:
		return nil, err
	}
	return newManifest(r.String()+":"+tag, doc)
}

// described fetches the manifest that a descriptor describes, which must be what it gets.
func (r *repository) described(ctx context.Context, d ocispec.Descriptor) (*manifest, error) {
	if err := checkDescriptor(r.String(), d); err != nil {
		return nil, err
	}
	artifact := r.String() + "@" + string(d.Digest)
	if d.Size > MaxManifest {
		return nil, &ArtifactError{artifact, fmt.Sprintf("the manifest has %d bytes, and the limit is %d", d.Size, MaxManifest)}
	}
	doc, err := r.get(ctx, r.at("manifests", string(d.Digest)), d.MediaType, d.Size)
	switch {
	case err != nil:
		return nil, err
	case doc.Status == http.StatusNotFound:
		return nil, &ArtifactError{artifact, "the registry does not have this manifest, which another one names"}
	case doc.MediaType != d.MediaType:
		return nil, &ArtifactError{artifact, fmt.Sprintf("the registry answers with the media type %s, not %q", quoted(doc.MediaType), d.MediaType)}
	case int64(len(doc.Body)) != d.Size || d.Digest.Algorithm().FromBytes(doc.Body) != d.Digest:
		return nil, &ArtifactError{artifact, "the registry answers with another document than the one with this digest"}
	}
	return newManifest(artifact, doc)
}

func (r *repository) get(ctx context.Context, u *url.URL, accept string, limit int64) (*web.Document, error) {
	return r.web.Get(ctx, web.Get{URL: u, Accept: accept, Limit: limit, Status: []int{http.StatusNotFound}})
}

// checkDescriptor makes sure that what a descriptor describes can be asked for and checked: a digest that cannot be is not
// even to be looked at.
func checkDescriptor(artifact string, d ocispec.Descriptor) error {
	if err := d.Digest.Validate(); err != nil {
		return &ArtifactError{artifact, fmt.Sprintf("it refers to the digest %s, which cannot be used: %v", quoted(string(d.Digest)), err)}
	}
	if d.Size < 0 {
		return &ArtifactError{artifact, fmt.Sprintf("it refers to %s with a size below zero", d.Digest)}
	}
	return nil
}

// manifest is a document that describes an artifact.
type manifest struct {
	artifact  string // for people
	mediaType string // as the registry has it
	body      []byte
	header    header
}

// header is what the documents have in common.
type header struct {
	MediaType    string `json:"mediaType"`
	ArtifactType string `json:"artifactType"`
	Config       *struct {
		MediaType string `json:"mediaType"`
	} `json:"config"`
}

func newManifest(artifact string, doc *web.Document) (*manifest, error) {
	m := &manifest{artifact: artifact, mediaType: doc.MediaType, body: doc.Body}
	return m, m.decode(&m.header)
}

func (m *manifest) decode(into any) error {
	if err := json.Unmarshal(m.body, into); err != nil {
		return &ArtifactError{m.artifact, "this is not the JSON of a manifest: " + shown(err.Error())}
	}
	return nil
}

// list is an array of at most [MaxEntries] elements: within few bytes there could be very many.
type list[T any] []T

// UnmarshalJSON implements [json.Unmarshaler].
func (l *list[T]) UnmarshalJSON(src []byte) error {
	return eachElement(src, func(element T) error {
		if len(*l) == MaxEntries {
			return errTooMany
		}
		*l = append(*l, element)
		return nil
	})
}

var errTooMany = fmt.Errorf("there are more than %d elements in an array, the limit", MaxEntries)

// eachElement calls each with one element of a JSON array after the other. Null, and nothing, are like an empty array.
func eachElement[T any](src []byte, each func(T) error) error {
	decoder := json.NewDecoder(bytes.NewReader(src))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		if len(src) == 0 || string(src) == "null" {
			return nil
		}
		return errNoArray
	}
	for decoder.More() {
		var element T
		if err := decoder.Decode(&element); err != nil {
			return err
		}
		if err := each(element); err != nil {
			return err
		}
	}
	return nil
}

var errNoArray = errors.New("there is something else where an array has to be")

// descriptor describes the document itself.
func (m *manifest) descriptor() ocispec.Descriptor {
	return ocispec.Descriptor{
		MediaType:    m.mediaType,
		ArtifactType: m.header.ArtifactType,
		Digest:       digest.FromBytes(m.body),
		Size:         int64(len(m.body)),
	}
}
