package registrytest

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// MaxOCIManifest is the largest manifest that the OCI registry takes from a client, in bytes. It is what registries commonly
// take, and what the specification wants them to take at least.
const MaxOCIManifest = 4 << 20

// tagName is https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests.
var tagName = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)

const (
	digestHeader  = "Docker-Content-Digest"
	subjectHeader = "Oci-Subject"
)

func (s *Server) answerManifest(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.sendManifest(w, t, fault)
	case http.MethodPut:
		s.putManifest(w, r, t)
	case http.MethodDelete:
		s.oci.deleteManifest(t).send(w)
	default:
		writeOCIError(w, errUnsupported)
	}
}

func (s *Server) sendManifest(w http.ResponseWriter, t target, fault *Fault) {
	reply := s.oci.engine.manifest(t.repository, t.reference)
	switch body := reply.body.Bytes(); {
	case reply.status != http.StatusOK:
	case isDigest(t.reference):
		reply.header.Set(digestHeader, t.reference) // the engine always tells the sha256 digest
	case fault != nil && fault.editsArtifact():
		reply = s.oci.flawed(t.repository, reply.header.Get("Content-Type"), body, fault)
	}
	if body := reply.body.Bytes(); fault != nil && fault.WrongHash && len(body) > 0 {
		body[len(body)/2] ^= 1
	}
	reply.send(w)
}

// digestOf returns the digest of a document.
func digestOf(body []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(body)) }

// fits reports whether a manifest may be put under a reference: a tag, or the manifest's own digest.
func fits(reference string, body []byte) bool {
	switch {
	case !isDigest(reference):
		return tagName.MatchString(reference)
	case strings.HasPrefix(reference, "sha512:"):
		return reference == fmt.Sprintf("sha512:%x", sha512.Sum512(body))
	}
	return reference == digestOf(body)
}

// manifestJSON is what the registry looks at in manifests of any kind.
type manifestJSON struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType"`
	Config       *descriptorJSON   `json:"config"`
	Layers       []*descriptorJSON `json:"layers"`
	Manifests    []*descriptorJSON `json:"manifests"`
	Subject      *descriptorJSON   `json:"subject"`
	Annotations  map[string]string `json:"annotations"`
}

// putManifest takes a manifest as distribution and others do: it must be complete, but for its subject.
func (s *Server) putManifest(w http.ResponseWriter, r *http.Request, t target) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxOCIManifest))
	if err != nil {
		writeOCIError(w, errManifestSize)
		return
	}
	var m manifestJSON
	mediaType := r.Header.Get("Content-Type")
	switch {
	case !fits(t.reference, body):
		writeOCIError(w, errDigestInvalid)
	case json.Unmarshal(body, &m) != nil, mediaType == "", m.MediaType != "" && m.MediaType != mediaType:
		writeOCIError(w, errManifestInvalid)
	default:
		m.MediaType = mediaType
		s.storeManifest(w, t, m, body)
	}
}

// isComplete reports whether everything that a manifest is made of is in the repository. A null member refers to nothing.
func (o *ociRegistry) isComplete(repository string, m manifestJSON) bool {
	parts := m.Layers
	if m.Config != nil {
		parts = append(parts, m.Config)
	}
	for _, d := range parts {
		if d != nil && o.blobs.find(repository, d.Digest) == nil {
			return false
		}
	}
	for _, d := range m.Manifests {
		if d != nil && !o.engine.has(repository, d.Digest) {
			return false
		}
	}
	return true
}

func (s *Server) storeManifest(w http.ResponseWriter, t target, m manifestJSON, body []byte) {
	reply, ok := s.oci.store(t, m, body)
	if !ok {
		writeOCIError(w, errManifestBlob)
		return
	}
	digest := digestOf(body)
	if isDigest(t.reference) {
		digest = t.reference
	}
	reply.header.Set(digestHeader, digest)
	reply.header.Set("Location", manifestPath(t.repository, digest))
	if m.Subject != nil && !s.oci.NoReferrers {
		reply.header.Set(subjectHeader, m.Subject.Digest)
	}
	reply.send(w)
}

// store keeps a manifest, unless something that it is made of is missing.
func (o *ociRegistry) store(t target, m manifestJSON, body []byte) (reply *bufferedWriter, ok bool) {
	o.change.Lock()
	defer o.change.Unlock()
	if !o.isComplete(t.repository, m) {
		return nil, false
	}
	return o.engine.put(t.repository, t.reference, m.MediaType, body), true
}

// deleteManifest removes a tag, or a manifest with all tags that it has.
func (o *ociRegistry) deleteManifest(t target) *bufferedWriter {
	o.change.Lock()
	defer o.change.Unlock()
	if !isDigest(t.reference) {
		return o.engine.remove(t.repository, t.reference)
	}
	manifest := o.engine.manifest(t.repository, t.reference)
	tags, _ := o.engine.tags(t.repository)
	for _, tag := range tags {
		if tagged := o.engine.manifest(t.repository, tag); bytes.Equal(tagged.body.Bytes(), manifest.body.Bytes()) {
			o.engine.remove(t.repository, tag)
		}
	}
	return o.engine.remove(t.repository, t.reference)
}
