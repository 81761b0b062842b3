package netmirror

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

var (
	errNoTarget  = errors.New("no path of the protocol")
	errMethod    = errors.New("method not allowed")
	errDenied    = errors.New("the mirror does not serve this provider")
	errForbidden = errors.New("the request is not authorized")
)

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.counters.requests.Add(1)
	t, ok := h.routes.find(r.URL)
	if err := h.serve(w, r, t, ok); err != nil {
		h.refuse(w, r, t, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request, t target, ok bool) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return errMethod
	}
	if err := h.admit(r, t, ok); err != nil {
		return err
	}
	if t.kind == kindArchive {
		return h.serveArchive(w, r, t)
	}
	d, err := h.document(r.Context(), t)
	if err != nil {
		return err
	}
	h.serveDocument(w, r, t, d)
	return nil
}

// admit says whether a request may be answered. Those who may not ask learn nothing, not even whether the path makes sense.
func (h *Handler) admit(r *http.Request, t target, ok bool) error {
	if h.config.Authorize != nil {
		withTicket := ok && t.kind == kindArchive && h.tickets.admits(t.parcel, r.URL.Query(), time.Now())
		if err := h.authorize(r, withTicket); err != nil {
			return err
		}
	}
	switch {
	case !ok:
		return errNoTarget
	case !h.rule.Matches(t.provider):
		return errDenied
	}
	return nil
}

func (h *Handler) authorize(r *http.Request, withTicket bool) error {
	if withTicket {
		return nil
	}
	err := h.config.Authorize(r)
	var challenge *ChallengeError
	if err == nil || errors.As(err, &challenge) {
		return err
	}
	return errForbidden
}

func (h *Handler) document(ctx context.Context, t target) (*document, error) {
	switch t.kind {
	case kindIndex:
		return h.index(ctx, t.provider)
	case kindVersion:
		return h.version(ctx, t.release)
	}
	return h.statement(ctx, t.release, t.file)
}

// serveDocument sends a document, which clients may keep but have to ask about again.
func (h *Handler) serveDocument(w http.ResponseWriter, r *http.Request, t target, d *document) {
	h.counters.documents.Add(1)
	header := w.Header()
	if d.stale {
		h.counters.staleDocuments.Add(1)
		header.Set("Warning", `111 - "Revalidation Failed"`) // RFC 7234, section 5.5.2
		if !d.asked.IsZero() {
			header.Set("Age", strconv.Itoa(int(time.Since(d.asked).Seconds())))
		}
	}
	header.Set("Content-Type", "application/json")
	if t.kind == kindStatement {
		header.Set("Content-Type", "application/octet-stream")
	}
	header.Set("Cache-Control", h.visibility()+"no-cache")
	sum := sha256.Sum256(d.body)
	header.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

// serveArchive sends an archive, which never changes. The file goes to the connection without passing through this process,
// where the system can do that and there is no TLS.
func (h *Handler) serveArchive(w http.ResponseWriter, r *http.Request, t target) error {
	file, err := h.archive(r.Context(), t.parcel)
	if err != nil {
		return err
	}
	defer file.Close()
	h.routes.note(r.URL, t)
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Cache-Control", h.visibility()+"max-age=31536000, immutable")
	header.Set("ETag", `"`+file.sum.Value()+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", file.info.ModTime(), file.File)
	return nil
}

// visibility says which caches may keep an answer.
func (h *Handler) visibility() string {
	if h.config.Authorize != nil {
		return "private, "
	}
	return "public, "
}

// refuse answers a request that failed, in words that say nothing about the source: that is for the log.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, t target, err error) {
	status, text := verdict(err)
	var challenge *ChallengeError
	if errors.As(err, &challenge) {
		w.Header().Set("WWW-Authenticate", challenge.Challenge)
	}
	switch {
	case status == http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET, HEAD")
	case status == http.StatusUnauthorized || status == http.StatusForbidden || errors.Is(err, errTooYoung):
		h.counters.denied.Add(1)
	case r.Context().Err() != nil: // nobody is there to read it
	case status >= http.StatusInternalServerError:
		h.counters.failed.Add(1)
		w.Header().Set("Retry-After", strconv.Itoa(int(outagePause.Seconds())))
		h.noteFailed(r, t, status, err)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, status)
}

func (h *Handler) noteFailed(r *http.Request, t target, status int, err error) {
	m := msgRequestFailed
	if isStoreFailure(err) {
		m = msgRequestByStore
	}
	h.journal.failed(r.Context(), m, t.parcel, err, slog.String("request", r.URL.Path), slog.Int("status", status))
}

// verdict translates an error into a status and a text for whoever asked.
func verdict(err error) (int, string) {
	var challenge *ChallengeError
	var damage *damageError
	switch {
	case errors.As(err, &challenge):
		return http.StatusUnauthorized, "credentials are required"
	case errors.Is(err, errForbidden):
		return http.StatusForbidden, "you may not have this"
	case errors.Is(err, errDenied):
		return http.StatusForbidden, "this mirror does not serve the provider"
	case errors.Is(err, errMethod):
		return http.StatusMethodNotAllowed, "only GET and HEAD are possible"
	case errors.Is(err, errTooYoung):
		return http.StatusNotFound, "the version has not been known for long enough to be served by this mirror"
	case errors.As(err, &damage):
		return http.StatusInternalServerError, "the archive is damaged in the mirror's store"
	case errors.Is(err, sources.ErrNotFound), errors.Is(err, errNoTarget):
		return http.StatusNotFound, "there is no such thing in this mirror"
	case errors.Is(err, errBusy), errors.Is(err, errClosing):
		return http.StatusServiceUnavailable, "the mirror is busy or shutting down; try again later"
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, "the mirror's source took too long; try again later"
	case errors.Is(err, sources.ErrUnavailable), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable, "the mirror's source cannot be reached; try again later"
	}
	return http.StatusBadGateway, "the mirror could not get this from its source, or did not accept it; its log says why"
}
