package registrytest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// answerFile serves archives, checksums and signatures.
func (s *Server) answerFile(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	f, err := s.findFile(t, fault)
	if err != nil {
		writeError(w, http.StatusInternalServerError)
		return
	}
	if f == nil {
		writeError(w, http.StatusNotFound)
		return
	}
	content, err := f.open()
	if err != nil {
		writeError(w, http.StatusInternalServerError)
		return
	}
	defer content.Close()
	if t.kind == KindArchive {
		w = s.throttled(w, r)
	}
	w.Header().Set("Content-Type", contentType(t.kind))
	w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", f.sha256)))
	s.send(w, r, f.size, altered(content, f.size, fault))
}

// findFile returns nil when there is no such file.
func (s *Server) findFile(t target, fault *Fault) (*file, error) {
	p, f := s.catalog.file(t)
	if f == nil {
		return nil, nil
	}
	if fault != nil && fault.WrongSigner != nil && t.kind == KindSignature {
		return p.signedBy(fault.WrongSigner)
	}
	return f, nil
}

func contentType(kind Kind) string {
	switch kind {
	case KindArchive:
		return "application/zip"
	case KindSums, KindKey:
		return "text/plain; charset=utf-8"
	case KindDiscovery, KindVersions, KindPackage, KindManifest, KindMirrorIndex, KindMirrorVersion,
		KindOCIPing, KindOCITags, KindOCIManifest, KindOCIReferrers:
		return "application/json"
	}
	return "application/octet-stream"
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, size int64, content io.ReadSeeker) {
	if !s.cfg.NoRanges {
		http.ServeContent(w, r, "", time.Time{}, content)
		return
	}
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if r.Method == http.MethodGet {
		_, _ = io.Copy(w, content) // a client that went away needs no answer
	}
}

// altered returns content with one bit in the middle changed, when the fault says so.
func altered(content io.ReadSeeker, size int64, fault *Fault) io.ReadSeeker {
	if fault == nil || !fault.WrongHash {
		return content
	}
	return &flipped{ReadSeeker: content, at: size / 2}
}

type flipped struct {
	io.ReadSeeker
	at int64
}

// Read implements [io.Reader].
func (f *flipped) Read(p []byte) (int, error) {
	position, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	n, err := f.ReadSeeker.Read(p)
	if i := f.at - position; i >= 0 && i < int64(n) {
		p[i] ^= 1
	}
	return n, err
}

// throttle spreads the bytes of one connection over time. Several requests may share it, as they do under HTTP/2.
type throttle struct {
	mu   sync.Mutex
	next time.Time // when the next bytes may go
}

// reserve returns how long to wait before n bytes may go.
func (t *throttle) reserve(n int, perSecond int64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.next.Before(now) {
		t.next = now
	}
	t.next = t.next.Add(time.Duration(float64(n) / float64(perSecond) * float64(time.Second)))
	return t.next.Sub(now)
}

// throttleKey is the context key of a connection's throttle: net/http has no other place for what belongs to a connection.
type throttleKey struct{}

func (s *Server) withThrottle(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, throttleKey{}, new(throttle))
}

// throttled returns w, slowed down when the server is configured to be slow.
func (s *Server) throttled(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	t, ok := r.Context().Value(throttleKey{}).(*throttle)
	if s.cfg.BytesPerSecond <= 0 || !ok {
		return w
	}
	return &throttledWriter{ResponseWriter: w, throttle: t, server: s, request: r}
}

type throttledWriter struct {
	http.ResponseWriter
	throttle *throttle
	server   *Server
	request  *http.Request
}

var _ http.ResponseWriter = (*throttledWriter)(nil)

// throttleStep bounds, in bytes and in parts of a second, how much goes at once.
const (
	throttleStep  = 16 << 10
	stepsInSecond = 20
)

// Write implements [io.Writer].
func (w *throttledWriter) Write(p []byte) (written int, err error) {
	rate := w.server.cfg.BytesPerSecond
	step := int(max(1, min(throttleStep, rate/stepsInSecond)))
	for len(p) > 0 {
		chunk := p[:min(step, len(p))]
		if !w.server.wait(w.request.Context(), w.throttle.reserve(len(chunk), rate)) {
			panic(http.ErrAbortHandler)
		}
		n, err := w.ResponseWriter.Write(chunk)
		written += n
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}
