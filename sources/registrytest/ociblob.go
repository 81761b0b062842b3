package registrytest

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// blobStore keeps which blobs each repository has: archives of releases, and what was uploaded.
type blobStore struct {
	mu    sync.RWMutex
	blobs map[blobKey]*file
}

type blobKey struct{ repository, digest string }

func (b *blobStore) find(repository, digest string) *file {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.blobs[blobKey{repository, digest}]
}

func (b *blobStore) put(repository, digest string, f *file) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.blobs == nil {
		b.blobs = map[blobKey]*file{}
	}
	b.blobs[blobKey{repository, digest}] = f
}

// remove reports whether the blob was there.
func (b *blobStore) remove(repository, digest string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := blobKey{repository, digest}
	_, ok := b.blobs[key]
	delete(b.blobs, key)
	return ok
}

// mount makes a blob of one repository one of another too, and reports whether it was there.
func (b *blobStore) mount(from, to, digest string) bool {
	f := b.find(from, digest)
	if f != nil {
		b.put(to, digest, f)
	}
	return f != nil
}

func (s *Server) answerBlob(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	f := s.oci.blobs.find(t.repository, t.reference)
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case f == nil:
		writeOCIError(w, errBlobUnknown)
	case isRead && s.oci.BlobHost != "":
		http.Redirect(w, r, s.storageURL(t), http.StatusTemporaryRedirect)
	case isRead:
		w.Header().Set(digestHeader, t.reference)
		s.sendBlob(w, r, t, f, fault)
	case r.Method == http.MethodDelete && s.oci.blobs.remove(t.repository, t.reference):
		w.WriteHeader(http.StatusAccepted)
	default:
		writeOCIError(w, errUnsupported)
	}
}

func (s *Server) sendBlob(w http.ResponseWriter, r *http.Request, t target, f *file, fault *Fault) {
	content, err := f.open()
	if err != nil {
		writeOCIError(w, errInternal)
		return
	}
	defer content.Close()
	w.Header().Set("Content-Type", contentType(t.kind))
	w.Header().Set("ETag", `"`+t.reference+`"`)
	s.send(s.throttled(w, r), r, f.size, altered(content, f.size, fault))
}

const (
	storagePath        = "/storage/"
	signatureParameter = "signature"
)

// storageURL is where a blob is when another host has the contents.
func (s *Server) storageURL(t target) string {
	u := url.URL{
		Scheme:   "https",
		Host:     s.onPort(s.oci.BlobHost),
		Path:     storagePath + t.repository + "/" + t.reference,
		RawQuery: url.Values{signatureParameter: {s.oci.storage}}.Encode(),
	}
	return u.String()
}

// parseStorage understands what follows /storage/ in a path.
func parseStorage(rest string) target {
	i := strings.LastIndexByte(rest, '/')
	if i <= 0 {
		return target{kind: KindOther}
	}
	return target{kind: KindOCIStorage, repository: rest[:i], reference: rest[i+1:]}
}

// answerStorage plays an object store: like S3, it refuses requests that have credentials besides the URL's signature.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func (s *Server) answerStorage(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	f := s.oci.blobs.find(t.repository, t.reference)
	switch {
	case f == nil:
		writeError(w, http.StatusNotFound)
	case r.URL.Query().Get(signatureParameter) != s.oci.storage:
		writeError(w, http.StatusForbidden)
	case r.Header.Get("Authorization") != "":
		writeError(w, http.StatusBadRequest)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.sendBlob(w, r, t, f, fault)
	default:
		writeError(w, http.StatusMethodNotAllowed)
	}
}
