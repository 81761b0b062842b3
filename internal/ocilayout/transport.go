package ocilayout

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// RoundTrip implements [http.RoundTripper]: it answers a request as a registry would, whatever its host. A layout that is
// only read takes no uploads. What is wrong with a layout is an error, an [*Error], and so is a blob that it lacks, since
// only its own documents lead to blobs; what else is not in it is an answer, 404.
func (l *Layout) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	resp, err := l.answer(req)
	if err != nil {
		return nil, err
	}
	resp.Status = http.StatusText(resp.StatusCode)
	resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/1.1", 1, 1
	resp.Request = req
	return resp, nil
}

var _ http.RoundTripper = (*Layout)(nil)

// route is what a request is about: /v2/REPOSITORY/KIND/REFERENCE
type route struct{ repository, kind, reference string }

func routeOf(path string) route {
	path = strings.TrimPrefix(path, "/v2/")
	path, reference := cutLast(path)
	path, kind := cutLast(path)
	if kind == "uploads" {
		path = strings.TrimSuffix(path, "/blobs")
	}
	return route{path, kind, reference}
}

func cutLast(path string) (before, after string) {
	i := strings.LastIndex(path, "/")
	return path[:max(i, 0)], path[i+1:]
}

func (l *Layout) answer(req *http.Request) (*http.Response, error) {
	r := routeOf(req.URL.Path)
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	switch {
	case reads && r.kind == "manifests":
		return l.getManifest(req, r)
	case reads && r.kind == "blobs":
		return l.getBlob(req, r)
	case reads && r.kind == "tags":
		return l.listTags(r), nil
	case reads && r.kind == "referrers":
		return l.listReferrers(r)
	case !reads && l.spool == nil:
		return refusal(http.StatusMethodNotAllowed, "UNSUPPORTED", "a bundle that is read cannot be changed"), nil
	case req.Method == http.MethodPost && r.kind == "uploads":
		return answer(http.StatusAccepted, http.Header{"Location": {"/v2/" + r.repository + "/blobs/uploads/new"}}, nil), nil
	case req.Method == http.MethodPut && r.kind == "uploads":
		return l.putBlob(req)
	case req.Method == http.MethodPut && r.kind == "manifests":
		return l.putManifest(req, r)
	}
	return refusal(http.StatusNotFound, "UNSUPPORTED", "there is no such function"), nil
}

// getManifest answers with what a tag or a digest names.
func (l *Layout) getManifest(req *http.Request, r route) (*http.Response, error) {
	d, ok := l.Resolve(r.repository, r.reference)
	if !ok {
		d.Digest = digest.Digest(r.reference)
		if _, there := l.blobs.stat(d.Digest); !there {
			return refusal(http.StatusNotFound, "MANIFEST_UNKNOWN", "there is no such manifest"), nil
		}
	}
	h, data, err := l.head(d.Digest)
	switch {
	case err != nil:
		return nil, err
	case ok && d.Size != int64(len(data)):
		return nil, &Error{Entry: blobPath(d.Digest), Kind: ErrMismatch, Detail: fmt.Sprintf("it has %d bytes, and is listed with %d", len(data), d.Size)}
	}
	header := http.Header{"Content-Type": {cmp.Or(d.MediaType, h.MediaType)}, "Docker-Content-Digest": {string(d.Digest)}}
	return unlessHead(req, answer(http.StatusOK, header, data)), nil
}

// getBlob answers with a blob, or a part of it.
func (l *Layout) getBlob(req *http.Request, r route) (*http.Response, error) {
	d := digest.Digest(r.reference)
	size, ok := l.blobs.stat(d)
	switch {
	case !ok && l.spool == nil:
		return nil, &Error{Entry: r.reference, Kind: ErrMissing, Detail: "another document leads to it"}
	case !ok:
		return refusal(http.StatusNotFound, "BLOB_UNKNOWN", "there is no such blob"), nil
	}
	header := http.Header{
		"Content-Type":          {"application/octet-stream"},
		"Docker-Content-Digest": {string(d)},
		"Accept-Ranges":         {"bytes"},
	}
	status, first, last := http.StatusOK, int64(0), size-1
	if text := req.Header.Get("Range"); text != "" {
		if first, last, ok = parseRange(text, size); !ok {
			return refusal(http.StatusRequestedRangeNotSatisfiable, "SIZE_INVALID", "there is no such range"), nil
		}
		status = http.StatusPartialContent
		header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, size))
	}
	resp := answer(status, header, nil)
	setLength(resp, last+1-first)
	if req.Method == http.MethodHead {
		return resp, nil
	}
	from, err := l.blobs.open(d)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(from, first, last+1-first), from}
	return resp, nil
}

// parseRange reads "bytes=FIRST-LAST" or "bytes=FIRST-", within a blob of some size.
func parseRange(text string, size int64) (first, last int64, ok bool) {
	text, ok = strings.CutPrefix(text, "bytes=")
	from, to, dash := strings.Cut(text, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	last = size - 1
	if to != "" && err == nil {
		last, err = strconv.ParseInt(to, 10, 64)
		last = min(last, size-1)
	}
	return first, last, ok && dash && err == nil && first >= 0 && first <= last
}

func (l *Layout) listTags(r route) *http.Response {
	tags := l.tags(r.repository)
	if len(tags) == 0 {
		return refusal(http.StatusNotFound, "NAME_UNKNOWN", "there is no such repository")
	}
	list := map[string]any{"name": r.repository, "tags": tags}
	return answer(http.StatusOK, http.Header{"Content-Type": {"application/json"}}, encode(list))
}

func (l *Layout) listReferrers(r route) (*http.Response, error) {
	found, err := l.Referrers(digest.Digest(r.reference))
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {ocispec.MediaTypeImageIndex}}
	return answer(http.StatusOK, header, encode(newIndex(append([]ocispec.Descriptor{}, found...)))), nil
}
