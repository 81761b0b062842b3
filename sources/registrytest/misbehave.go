package registrytest

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strconv"
)

// misbehave answers a request as the fault says.
func (s *Server) misbehave(w http.ResponseWriter, r *http.Request, t target, f *Fault) {
	if !s.wait(r.Context(), f.Delay) {
		panic(http.ErrAbortHandler)
	}
	if f.Hook != nil && f.Hook(w, r) {
		return
	}
	if f.CutUploadAt > 0 {
		r.Body = &cutBody{ReadCloser: r.Body, left: f.CutUploadAt}
	}
	switch {
	case f.CutUploadAt < 0:
		panic(http.ErrAbortHandler)
	case f.replaces():
		s.replace(w, r, t, f)
	case f.Edit != nil:
		s.edited(w, r, t, f)
	default:
		s.answer(s.shaped(w, r, f), r, t, f)
	}
}

// replace answers without looking at what the good answer would be.
func (s *Server) replace(w http.ResponseWriter, r *http.Request, t target, f *Fault) {
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	if f.Status == http.StatusUnauthorized && t.isOCI() {
		w.Header().Set("WWW-Authenticate", s.challenge(r, t))
	}
	location := f.Redirect
	if f.RedirectLoop {
		location = r.URL.RequestURI()
	}
	if location == "" {
		w.Header().Set("Content-Type", contentType(t.kind))
	}
	f.dress(w.Header())
	if location != "" {
		http.Redirect(w, r, location, cmp.Or(f.Status, http.StatusFound))
		return
	}
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	_, _ = w.Write(f.Body) // a client that went away needs no answer
}

// dress changes headers.
func (f *Fault) dress(header http.Header) {
	if f.ContentType != "" {
		header.Set("Content-Type", f.ContentType)
	}
	for name, value := range f.Header {
		if value == "" {
			header.Del(name)
		} else {
			header.Set(name, value)
		}
	}
}

// cutBody is the body of a request whose connection breaks when a number of bytes have arrived.
type cutBody struct {
	io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (b *cutBody) Read(p []byte) (int, error) {
	if b.left > 0 {
		n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
		b.left -= int64(n)
		return n, err
	}
	n, err := b.ReadCloser.Read(make([]byte, 1))
	if n > 0 {
		panic(http.ErrAbortHandler)
	}
	return 0, err
}

// edited lets the fault change the good answer's body.
func (s *Server) edited(w http.ResponseWriter, r *http.Request, t target, f *Fault) {
	good := &bufferedWriter{header: w.Header(), status: http.StatusOK}
	s.answer(good, r, t, f)
	w.Header().Del("Content-Length")
	shaped := s.shaped(w, r, f)
	shaped.WriteHeader(good.status)
	_, _ = shaped.Write(f.Edit(good.body.Bytes())) // as above
}

// bufferedWriter keeps a response, except for its headers, which go where they belong at once.
type bufferedWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = (*bufferedWriter)(nil)

// Header implements [http.ResponseWriter].
func (w *bufferedWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *bufferedWriter) WriteHeader(status int) { w.status = status }

// Write implements [http.ResponseWriter].
func (w *bufferedWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// shaped returns a writer that ends, stalls or breaks the response where the fault says. A fault that lets nothing out is
// executed right here.
func (s *Server) shaped(w http.ResponseWriter, r *http.Request, f *Fault) http.ResponseWriter {
	stall := func() { s.hang(r.Context()); panic(http.ErrAbortHandler) }
	cut := func() { panic(http.ErrAbortHandler) }
	switch {
	case f.CutAt < 0:
		cut()
	case f.StallAt < 0:
		stall()
	case f.CutAt > 0:
		return &shapedWriter{ResponseWriter: w, fault: f, limited: true, left: f.CutAt, end: cut}
	case f.StallAt > 0:
		return &shapedWriter{ResponseWriter: w, fault: f, limited: true, left: f.StallAt, end: stall}
	case f.TruncateAt != 0:
		return &shapedWriter{ResponseWriter: w, fault: f, limited: true, left: max(0, f.TruncateAt)}
	}
	return &shapedWriter{ResponseWriter: w, fault: f}
}

// shapedWriter lets a number of bytes pass and then calls end, or drops the rest if there is no end.
type shapedWriter struct {
	http.ResponseWriter
	fault   *Fault
	limited bool
	left    int64 // bytes that may still pass, if limited
	end     func()
	started bool
}

var _ http.ResponseWriter = (*shapedWriter)(nil)

// WriteHeader implements [http.ResponseWriter].
func (w *shapedWriter) WriteHeader(status int) {
	w.started = true
	w.fault.dress(w.Header())
	if w.limited && w.end == nil {
		w.shortenLength()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *shapedWriter) shortenLength() {
	length, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64)
	if err == nil && length > w.left {
		w.Header().Set("Content-Length", strconv.FormatInt(w.left, 10))
	}
}

// Write implements [http.ResponseWriter].
func (w *shapedWriter) Write(p []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	if !w.limited || int64(len(p)) <= w.left {
		w.left -= int64(len(p))
		return w.ResponseWriter.Write(p)
	}
	allowed := p[:w.left]
	w.left = 0
	if n, err := w.ResponseWriter.Write(allowed); err != nil {
		return n, err
	}
	if w.end != nil {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // what was allowed must arrive
		w.end()
	}
	return len(p), nil
}
