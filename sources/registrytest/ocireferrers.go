package registrytest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// answerReferrers lists the manifests with a subject, also one that is not there:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-referrers.
func (s *Server) answerReferrers(w http.ResponseWriter, r *http.Request, t target) {
	switch {
	case s.oci.NoReferrers:
		writeError(w, http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		writeOCIError(w, errUnsupported)
		return
	case !isDigest(t.reference):
		writeOCIError(w, errDigestInvalid)
		return
	}
	doc := indexJSON{SchemaVersion: 2, MediaType: mediaTypeIndex, Manifests: s.oci.referrers(t)}
	if wanted := r.URL.Query().Get("artifactType"); wanted != "" {
		doc.Manifests = slices.DeleteFunc(doc.Manifests, func(d descriptorJSON) bool { return d.ArtifactType != wanted })
		w.Header().Set("Oci-Filters-Applied", "artifactType")
	}
	w.Header().Set("Content-Type", mediaTypeIndex)
	_ = json.NewEncoder(w).Encode(doc) // a client that went away needs no answer
}

// referrers describes referrers as the specification has it: the engine leaves out annotations and types of artifacts.
func (o *ociRegistry) referrers(t target) []descriptorJSON {
	found := []descriptorJSON{}
	for _, digest := range o.engine.referrers(t.repository, t.reference) {
		reply := o.engine.manifest(t.repository, digest)
		var m manifestJSON
		if reply.status != http.StatusOK || json.Unmarshal(reply.body.Bytes(), &m) != nil {
			continue // deleted meanwhile
		}
		d := descriptorJSON{
			MediaType:    reply.header.Get("Content-Type"),
			ArtifactType: m.ArtifactType,
			Digest:       digest,
			Size:         int64(reply.body.Len()),
			Annotations:  m.Annotations,
		}
		if m.Config != nil {
			d.ArtifactType = cmp.Or(d.ArtifactType, m.Config.MediaType)
		}
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b descriptorJSON) int { return strings.Compare(a.Digest, b.Digest) })
	return found
}
