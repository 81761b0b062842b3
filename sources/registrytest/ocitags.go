package registrytest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type tagsJSON struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

// answerTags lists tags in pages: https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-tags.
func (s *Server) answerTags(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	size, err := s.oci.pageSize(r.URL.Query())
	tags, known := s.oci.engine.tags(t.repository)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		writeOCIError(w, errUnsupported)
	case err != nil:
		writeOCIError(w, errPageInvalid)
	case fault != nil && fault.EndlessTags:
		answerEndlessTags(w, r, t, size)
	case !known:
		writeOCIError(w, errNameUnknown)
	default:
		page, more := pageOf(tags, r.URL.Query().Get("last"), size)
		if more {
			w.Header().Set("Link", nextPage(t.repository, page[len(page)-1], len(page)))
		}
		writeJSON(w, tagsJSON{t.repository, page})
	}
}

// endlessPage is how many tags a page has in a list without an end, when nobody asks for another number.
const endlessPage = 100

// answerEndlessTags makes up the tags that follow the last one: prerelease versions, which sort as their numbers do.
func answerEndlessTags(w http.ResponseWriter, r *http.Request, t target, size int) {
	if size <= 0 {
		size = endlessPage
	}
	const prefix, digits = "0.0.0-x", 18
	last, _ := strings.CutPrefix(r.URL.Query().Get("last"), prefix)
	number, _ := strconv.ParseInt(last, 10, 64) // 0 at the beginning
	page := make([]string, size)
	for i := range page {
		page[i] = fmt.Sprintf("%s%0*d", prefix, digits, number+int64(i)+1)
	}
	w.Header().Set("Link", nextPage(t.repository, page[size-1], size))
	writeJSON(w, tagsJSON{t.repository, page})
}

// pageSize returns how many tags a request gets, at least 0, or -1 for all.
func (o *OCI) pageSize(query url.Values) (int, error) {
	size := -1
	if o.PageSize > 0 {
		size = o.PageSize
	}
	if !query.Has("n") {
		return size, nil
	}
	n, err := strconv.ParseUint(query.Get("n"), 10, 31)
	if err != nil || size >= 0 && int(n) > size {
		return size, err
	}
	return int(n), nil
}

// pageOf returns the tags that come after last, which need not exist any more, and whether there are more than size.
func pageOf(tags []string, last string, size int) (page []string, more bool) {
	if last != "" {
		i, found := slices.BinarySearch(tags, last)
		if found {
			i++
		}
		tags = tags[i:]
	}
	if size < 0 || len(tags) <= size {
		return tags, false
	}
	return tags[:size], size > 0
}

// nextPage is a Link header: https://www.rfc-editor.org/rfc/rfc8288.
func nextPage(repository, last string, size int) string {
	query := url.Values{"last": {last}, "n": {strconv.Itoa(size)}}
	return fmt.Sprintf(`<%s%s/tags/list?%s>; rel="next"`, ociPath, repository, query.Encode())
}
