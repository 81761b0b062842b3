package ocimirror

import (
	"net/http"
	"strings"
)

// nextLink returns the reference of the next page from the Link header of a list: "/v2/x/tags/list?last=1.0.0", or ""
// on the last page. https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-tags,
// https://www.rfc-editor.org/rfc/rfc8288#section-3
func nextLink(h http.Header) string {
	for _, value := range h.Values("Link") {
		for value != "" {
			var reference, parameters string
			reference, parameters, value = cutLink(value)
			if reference != "" && isNext(parameters) {
				return reference
			}
		}
	}
	return ""
}

// cutLink splits the first link off a header's value: "<reference>; parameters, rest".
func cutLink(value string) (reference, parameters, rest string) {
	_, value, found := strings.Cut(value, "<")
	if !found {
		return "", "", ""
	}
	reference, value, found = strings.Cut(value, ">")
	if !found {
		return "", "", ""
	}
	if i := strings.Index(value, "<"); i >= 0 { // no parameter that anybody uses has one
		return reference, value[:i], value[i:]
	}
	return reference, value, ""
}

// isNext reports whether parameters say rel="next". Some registries leave the relation out.
func isNext(parameters string) bool {
	for parameter := range strings.FieldsFuncSeq(parameters, func(r rune) bool { return r == ';' || r == ',' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") {
			return strings.EqualFold(strings.Trim(value, ` "`), "next")
		}
	}
	return true
}
