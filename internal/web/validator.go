package web

import (
	"net/http"
	"strings"
	"time"
)

// validator is what a server tells about a file, and would tell otherwise if the file had changed: a strong entity tag
// or a strong date. The zero value is none. https://www.rfc-editor.org/rfc/rfc9110#section-8.8
type validator struct {
	tag  string // with its quotes
	date string // of the last modification
}

// strongAfter is how much older than the answer a modification must be, so that a second one in the same second, which
// would have the same date, cannot have been missed.
const strongAfter = time.Minute

func validatorOf(h http.Header) validator {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) && len(tag) <= maxValidator {
		return validator{tag: tag}
	}
	if h.Get("ETag") != "" {
		return validator{} // whoever says that a tag is weak does not mean its date to be strong; nor is a long one sent back
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil {
		return validator{}
	}
	if sent, err := http.ParseTime(h.Get("Date")); err != nil || sent.Sub(modified) < strongAfter {
		return validator{}
	}
	return validator{date: h.Get("Last-Modified")}
}

func (v validator) isZero() bool { return v == validator{} }

// text is what the header If-Range carries.
func (v validator) text() string { return v.tag + v.date }

// confirmedBy reports whether a partial answer is of the same file. It has to repeat a tag, and need not repeat a date.
func (v validator) confirmedBy(h http.Header) bool {
	if v.date != "" {
		repeated := h.Get("Last-Modified")
		return repeated == "" || repeated == v.date
	}
	return v.tag == "" || h.Get("ETag") == v.tag
}
