package registrytest

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Fault makes some requests go wrong. The first group of fields says which, the second how.
//
// For each request the server looks for the first fault, in the order of addition, that matches and is neither waiting
// (After) nor used up (Times); only that one applies.
type Fault struct {
	Kind     Kind   // the kind of request; "" means any, or the one that WrongHash, WrongSigner or a field about OCI is about
	Provider string // "namespace/type" or "host/namespace/type"; "" means any
	Path     string // a pattern of [path.Match] for the URL's path, or, if it has no slash, for its last segment; "" means any
	Method   string // "GET", or "HEAD", which some clients send before a download, or another; "" means any
	After    int    // how many matching requests go well first
	Times    int    // how many matching requests go wrong then; 0 means all

	Delay time.Duration // wait before the answer, good or bad; alone, it is a fault too

	Hook func(http.ResponseWriter, *http.Request) bool // answer in its own way, and return true; false continues below

	Status     int    // answer with this status and Body, or answer a Redirect with it instead of 302; 401 from the OCI registry has its challenge
	RetryAfter string // the Retry-After header of that: seconds or an HTTP date
	Body       []byte // answer with this body instead of the good one; not nil but empty is an empty body

	Redirect     string // redirect to this URL, which may be relative
	RedirectLoop bool   // redirect to the requested URL itself, forever

	Edit        func(body []byte) []byte // change the body of the good answer, which is held in memory meanwhile
	ContentType string                   // change the media type, of Body or of the good answer
	Header      map[string]string        // change headers of any answer, by name; "" removes a header

	// These alter how the good answer is sent, when its body is longer than this many bytes, counted in the body of that
	// response. -1 means before anything is sent, headers included; 0 means not.
	TruncateAt int64 // end there, as if that were all: Content-Length is adapted. -1 sends headers and no body
	StallAt    int64 // send no more, and hang until the client or the server closes
	CutAt      int64 // break the connection, or under HTTP/2 the stream

	CutUploadAt int64 // the same when so much of the request's body has arrived; -1 means before anything has

	WrongHash   bool    // change one bit in the middle of the file; for archives unless Kind says otherwise
	WrongSigner *Signer // serve a good signature by this signer instead; its key is not published

	// These are about answers of the OCI registry. The artifact behind a tag is changed in itself: all its digests and sizes
	// are those of the changed documents, which are there by digest too. EditImage goes first, and changes all images.
	EditIndex   func(index []byte) []byte    // change the index
	EditImage   func(manifest []byte) []byte // change each platform's image manifest
	EndlessTags bool                         // list new tags, page after page, forever
}

// AddFault puts a fault in force. The error is an [*Error] for a fault that does nothing or whose fields make no sense.
func (s *Server) AddFault(f Fault) error {
	if err := f.check(); err != nil {
		return &Error{Op: "add fault", Err: err}
	}
	s.faults.add(f.withDefaults())
	return nil
}

// ClearFaults ends all faults. Answers that are being sent are not changed any more.
func (s *Server) ClearFaults() { s.faults.clear() }

func (f Fault) check() error {
	if _, err := path.Match(f.Path, ""); err != nil {
		return fmt.Errorf("path is %q: %w", f.Path, err)
	}
	if f.Provider != "" {
		if _, err := parseAddress(f.Provider); err != nil {
			return err
		}
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status is %d; it must be between 200 and 599", f.Status)
	}
	if !f.doesSomething() {
		return errors.New("it does nothing; set Status, CutAt or another of the fields that say what goes wrong")
	}
	return nil
}

func (f Fault) doesSomething() bool {
	return f.Delay > 0 || f.Hook != nil || f.replaces() || f.Edit != nil || f.ContentType != "" || len(f.Header) > 0 ||
		f.TruncateAt != 0 || f.StallAt != 0 || f.CutAt != 0 || f.CutUploadAt != 0 || f.WrongHash || f.WrongSigner != nil ||
		f.editsArtifact() || f.EndlessTags
}

func (f Fault) editsArtifact() bool { return f.EditIndex != nil || f.EditImage != nil }

// replaces reports whether the good answer does not matter.
func (f Fault) replaces() bool {
	return f.Status != 0 || f.Body != nil || f.Redirect != "" || f.RedirectLoop
}

func (f Fault) withDefaults() *Fault {
	switch {
	case f.Kind != "":
	case f.WrongHash:
		f.Kind = KindArchive
	case f.WrongSigner != nil:
		f.Kind = KindSignature
	case f.EndlessTags:
		f.Kind = KindOCITags
	case f.editsArtifact():
		f.Kind = KindOCIManifest
	}
	return &f
}

func (f *Fault) matches(r *http.Request, t target) bool {
	if (f.Kind != "" && f.Kind != t.kind) || (f.Method != "" && f.Method != r.Method) {
		return false
	}
	if f.editsArtifact() && isDigest(t.reference) {
		return false // what has a digest cannot change
	}
	if f.Provider != "" {
		if addr, _ := parseAddress(f.Provider); !addr.covers(t.addr) {
			return false
		}
	}
	if f.Path == "" {
		return true
	}
	urlPath := r.URL.Path
	if !strings.Contains(f.Path, "/") {
		urlPath = path.Base(urlPath)
	}
	ok, _ := path.Match(f.Path, urlPath) // the pattern was checked
	return ok
}

// faultList is the faults in force, with how often each was met.
type faultList struct {
	mu   sync.Mutex
	list []*activeFault
}

type activeFault struct {
	fault *Fault
	seen  int
}

func (l *faultList) add(f *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, &activeFault{fault: f})
}

func (l *faultList) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = nil
}

// next returns the fault that applies to a request, or nil.
func (l *faultList) next(r *http.Request, t target) *Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.list {
		if !a.fault.matches(r, t) {
			continue
		}
		a.seen++
		if n := a.seen - a.fault.After; n > 0 && (a.fault.Times == 0 || n <= a.fault.Times) {
			return a.fault
		}
	}
	return nil
}
