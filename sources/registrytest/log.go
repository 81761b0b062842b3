package registrytest

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Request is one request as the server saw it, and what the server answered.
type Request struct {
	Kind          Kind
	Method        string
	Path          string // decoded, with the query left out
	Query         string // as it came, without the question mark
	Host          string // the Host header
	Protocol      string // "HTTP/1.1" or "HTTP/2.0"
	RemoteAddr    string // the client's end of the connection: the same for requests that shared one
	Provider      string // "namespace/type", or "" where the path names none
	Repository    string // the OCI registry's: "mirror/namespace/type", or "" where the path names none
	Version       string // "" where the path names none; of a tag, what it stands for
	Platform      string // "os_arch" for KindPackage, otherwise ""
	Authorization string // the header's value, in full
	Grant         string // of requests for a token by POST: "password" or "refresh_token", which is what their body carries
	Range         string // the header's value
	IfRange       string // the header's value
	UserAgent     string // the header's value
	Start         time.Time

	Status int   // 0 while there is no answer yet, and forever if there never was
	Bytes  int64 // sent so far, of the body
}

// requestLog keeps all requests in the order of arrival.
type requestLog struct {
	mu   sync.Mutex
	list []*Request
}

// Requests returns all requests since the start or the last ResetRequests, in the order of arrival. Requests that are still
// being answered are among them, as they stand.
func (s *Server) Requests() []Request {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	out := make([]Request, len(s.log.list))
	for i, r := range s.log.list {
		out[i] = *r
	}
	return out
}

// ResetRequests forgets all requests so far.
func (s *Server) ResetRequests() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.list = nil
}

// Count returns how many of [Server.Requests] are of a kind; "" counts all.
func (s *Server) Count(kind Kind) int {
	requests := s.Requests()
	if kind == "" {
		return len(requests)
	}
	return len(slices.DeleteFunc(requests, func(r Request) bool { return r.Kind != kind }))
}

// begin notes a request and returns a writer that notes what becomes of it.
func (l *requestLog) begin(w http.ResponseWriter, r *http.Request, t target) http.ResponseWriter {
	entry := &Request{
		Kind:          t.kind,
		Method:        r.Method,
		Path:          r.URL.Path,
		Query:         r.URL.RawQuery,
		Repository:    t.repository,
		Host:          r.Host,
		Protocol:      r.Proto,
		RemoteAddr:    r.RemoteAddr,
		Version:       t.version,
		Platform:      t.platform,
		Authorization: r.Header.Get("Authorization"),
		Range:         r.Header.Get("Range"),
		IfRange:       r.Header.Get("If-Range"),
		UserAgent:     r.UserAgent(),
		Start:         time.Now(),
	}
	if t.kind == KindOCIToken {
		r.Body = http.MaxBytesReader(w, r.Body, maxTokenForm)
		entry.Grant = r.PostFormValue("grant_type")
	}
	if t.addr.name != "" {
		entry.Provider = t.addr.short()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, entry)
	return &loggedWriter{ResponseWriter: w, log: l, entry: entry, method: r.Method}
}

type loggedWriter struct {
	http.ResponseWriter
	log    *requestLog
	entry  *Request
	method string
}

var _ http.ResponseWriter = (*loggedWriter)(nil)

// WriteHeader implements [http.ResponseWriter].
func (w *loggedWriter) WriteHeader(status int) {
	w.note(status, 0)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter]. It counts bytes before they go, so that a client that has them finds them counted.
func (w *loggedWriter) Write(p []byte) (int, error) {
	w.note(http.StatusOK, int64(len(p)))
	n, err := w.ResponseWriter.Write(p)
	if n < len(p) {
		w.note(http.StatusOK, int64(n-len(p)))
	}
	return n, err
}

// note adds to the entry; the first status stays.
func (w *loggedWriter) note(status int, bytes int64) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	if w.entry.Status == 0 {
		w.entry.Status = status
	}
	if w.method != http.MethodHead {
		w.entry.Bytes += bytes
	}
}

// Unwrap lets [http.ResponseController] reach the writer below.
func (w *loggedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
