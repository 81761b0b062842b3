package registrytest

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
)

// engine keeps the manifests and tags of all repositories: the registry of go-containerregistry, asked in this process. It
// keeps no blobs, since it would hold what is uploaded in memory, and one upload would wait for another.
type engine struct{ handler http.Handler }

func newEngine() engine {
	return engine{registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true))}
}

// seal hides from the engine that a manifest is an index. Otherwise the engine reads indexes, and refuses the odd ones that
// are to be on offer here, and all digests but sha256.
const seal = ";sealed"

// ask returns the engine's answer. It is all there, because the engine holds locks while it writes, and clients may be slow.
func (e engine) ask(method, path, contentType string, body []byte) *bufferedWriter {
	r := &http.Request{
		Method: method,
		URL:    &url.URL{Path: path},
		Header: http.Header{"Content-Type": {contentType + seal}},
		Body:   io.NopCloser(bytes.NewReader(body)),
	}
	reply := &bufferedWriter{header: http.Header{}, status: http.StatusOK}
	e.handler.ServeHTTP(reply, r)
	switch mediaType := reply.header.Get("Content-Type"); {
	case mediaType != "":
		reply.header.Set("Content-Type", strings.TrimSuffix(mediaType, seal))
	case reply.body.Len() > 0:
		reply.header.Set("Content-Type", "application/json")
	}
	return reply
}

func (e engine) manifest(repository, reference string) *bufferedWriter {
	return e.ask(http.MethodGet, manifestPath(repository, reference), "", nil)
}

// put stores a manifest, under its digest too.
func (e engine) put(repository, reference, mediaType string, body []byte) *bufferedWriter {
	return e.ask(http.MethodPut, manifestPath(repository, reference), mediaType, body)
}

func (e engine) has(repository, reference string) bool {
	return e.ask(http.MethodHead, manifestPath(repository, reference), "", nil).status == http.StatusOK
}

func (e engine) remove(repository, reference string) *bufferedWriter {
	return e.ask(http.MethodDelete, manifestPath(repository, reference), "", nil)
}

func manifestPath(repository, reference string) string {
	return ociPath + repository + "/manifests/" + reference
}

// tags returns the tags of a repository, sorted, and whether there is such a repository.
func (e engine) tags(repository string) (tags []string, ok bool) {
	reply := e.ask(http.MethodGet, ociPath+repository+"/tags/list", "", nil)
	var doc tagsJSON
	if reply.status != http.StatusOK || json.Unmarshal(reply.body.Bytes(), &doc) != nil {
		return nil, false
	}
	tags = []string{}
	for _, tag := range doc.Tags {
		if !isDigest(tag) {
			tags = append(tags, tag)
		}
	}
	return tags, true
}

// referrers returns the digests of the manifests with the given subject.
func (e engine) referrers(repository, subject string) []string {
	reply := e.ask(http.MethodGet, ociPath+repository+"/referrers/"+subject, "", nil)
	var doc struct{ Manifests []struct{ Digest string } }
	if reply.status != http.StatusOK || json.Unmarshal(reply.body.Bytes(), &doc) != nil {
		return nil
	}
	var digests []string
	for _, m := range doc.Manifests {
		digests = append(digests, m.Digest)
	}
	return digests
}

// send passes an answer of the engine on.
func (w *bufferedWriter) send(to http.ResponseWriter) {
	for name, values := range w.header {
		to.Header()[name] = values
	}
	to.WriteHeader(w.status)
	_, _ = to.Write(w.body.Bytes()) // a client that went away needs no answer
}
