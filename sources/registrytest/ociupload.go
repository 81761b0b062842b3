package registrytest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// answerUpload takes blobs, in one piece or in chunks, and mounts those of other repositories:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#push.
func (s *Server) answerUpload(w http.ResponseWriter, r *http.Request, t target) {
	if t.reference == "" {
		s.beginUpload(w, r, t)
		return
	}
	u := s.oci.uploads.find(t.repository, t.reference)
	if u == nil || r.Method != http.MethodGet && r.URL.Query().Get(stateParameter) != u.state {
		writeOCIError(w, errUploadUnknown)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.over:
		writeOCIError(w, errUploadUnknown)
	case r.Method == http.MethodGet:
		u.tell(w, http.StatusNoContent)
	case r.Method == http.MethodPatch:
		u.addChunk(w, r)
	case r.Method == http.MethodPut:
		s.finishUpload(w, r, u)
	case r.Method == http.MethodDelete:
		s.oci.uploads.end(u)
		u.discard()
		w.WriteHeader(http.StatusNoContent)
	default:
		writeOCIError(w, errUnsupported)
	}
}

// beginUpload mounts a blob, or takes one with this very request, or begins a session.
func (s *Server) beginUpload(w http.ResponseWriter, r *http.Request, t target) {
	query := r.URL.Query()
	mount, from := query.Get("mount"), query.Get("from")
	switch {
	case r.Method != http.MethodPost:
		writeOCIError(w, errUnsupported)
		return
	case mount != "" && from != "" && !s.oci.NoMount && s.oci.blobs.mount(from, t.repository, mount):
		tellBlob(w, t.repository, mount)
		return
	}
	u, err := s.oci.uploads.begin(t.repository)
	switch {
	case err != nil:
		writeOCIError(w, errInternal)
	case query.Has("digest"):
		s.finishUpload(w, r, u)
	default:
		u.tell(w, http.StatusAccepted)
	}
}

// stateParameter is a part of the URLs that clients must keep as they get them. distribution has one of the same name.
const stateParameter = "_state"

// tell says where an upload goes on, and how much of it is there.
func (u *upload) tell(w http.ResponseWriter, status int) {
	location := url.URL{
		Path:     ociPath + u.repository + "/blobs/uploads/" + u.id,
		RawQuery: url.Values{stateParameter: {u.state}}.Encode(),
	}
	w.Header().Set("Location", location.String())
	w.Header().Set("Docker-Upload-Uuid", u.id)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, u.size-1)))
	w.WriteHeader(status)
}

// tellBlob says where a blob is, now that it is there.
func tellBlob(w http.ResponseWriter, repository, digest string) {
	w.Header().Set("Location", ociPath+repository+"/blobs/"+digest)
	w.Header().Set(digestHeader, digest)
	w.WriteHeader(http.StatusCreated)
}

// addChunk takes the next part of a blob. Whatever arrives before a connection breaks stays.
func (u *upload) addChunk(w http.ResponseWriter, r *http.Request) {
	if !u.follows(r.Header.Get("Content-Range")) {
		w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, u.size-1)))
		writeOCIError(w, errUploadInvalid)
		return
	}
	if err := u.add(r.Body); err != nil {
		writeOCIError(w, errInternal)
		return
	}
	u.tell(w, http.StatusAccepted)
}

// follows reports whether a chunk with a range, "100-199", begins where the upload ends. Chunks without one always do.
func (u *upload) follows(contentRange string) bool {
	begin, _, _ := strings.Cut(contentRange, "-")
	return begin == "" || begin == fmt.Sprint(u.size)
}

// finishUpload takes the last part of a blob, or all of it, and makes it one of the repository if its digest is right.
func (s *Server) finishUpload(w http.ResponseWriter, r *http.Request, u *upload) {
	if !u.follows(r.Header.Get("Content-Range")) {
		writeOCIError(w, errUploadInvalid)
		return
	}
	if err := u.add(r.Body); err != nil {
		writeOCIError(w, errInternal)
		return
	}
	s.oci.uploads.end(u)
	f, digest := u.done(), r.URL.Query().Get("digest")
	if digest != f.digest() {
		u.discard()
		writeOCIError(w, errDigestInvalid)
		return
	}
	s.oci.blobs.put(u.repository, digest, f)
	tellBlob(w, u.repository, digest)
}
