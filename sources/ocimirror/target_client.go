package ocimirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"oras.land/oras-go/v2/registry/remote"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// newOutlet returns a client of oras that publishes in a repository. What it replaces is left to the registry's garbage
// collection; to delete it would take more rights, and nobody knows who else uses it.
func newOutlet(r *repository) *remote.Repository {
	return &remote.Repository{
		Client:           outlet{r, newPatientClient(r)},
		Reference:        r.ref,
		PlainHTTP:        r.connection.config.PlainHTTP,
		MaxMetadataBytes: MaxManifest,
		SkipReferrersGC:  true,
	}
}

// outlet makes requests within bounds, and errors of what goes wrong, which say what the registry says.
type outlet struct {
	*repository
	http *http.Client
}

var _ remote.Client = outlet{}

// Do implements [remote.Client].
func (o outlet) Do(req *http.Request) (*http.Response, error) {
	if isUpload(req) {
		return o.try(req)
	}
	ctx, cancel := o.patience(req.Context())
	defer cancel()
	resp, err := o.try(req.WithContext(ctx))
	if err == nil {
		err = readAhead(resp)
	}
	switch {
	case err == nil:
		return resp, nil
	case errors.Is(context.Cause(ctx), errNoAnswer):
		err = errNoAnswer
	}
	return nil, newRequestError(req, err)
}

// isUpload reports whether a request sends a blob. The bodies of all others are in memory.
func isUpload(req *http.Request) bool { return req.Body != nil && req.GetBody == nil }

var errNoAnswer = errors.New("no complete answer in time")

// patience bounds a request, with all its attempts.
func (o outlet) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	config := o.connection.config
	if config.Timeout < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, time.Duration(1+max(0, config.Retries))*config.Timeout, errNoAnswer)
}

// try makes a request. Only success, redirects and the absence of what was to be read are answers.
func (o outlet) try(req *http.Request) (*http.Response, error) {
	resp, err := o.send(req)
	if err != nil {
		return nil, newRequestError(req, err)
	}
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	if resp.StatusCode < 400 || reads && resp.StatusCode == http.StatusNotFound {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, newRequestError(req, newRegistryError(resp))
}

// send makes a request to the registry. What oras asks for is there: a location elsewhere, which an answer has named, is
// refused; a redirect is followed without credentials.
func (o outlet) send(req *http.Request) (*http.Response, error) {
	if web.Origin(req.URL) != o.authorizer.origin {
		return nil, &web.RefusedError{URL: web.Redact(req.URL), Why: "it is not at the registry " + o.ref.Registry}
	}
	if err := o.web.CheckURL(req.URL); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", o.connection.config.UserAgent)
	return o.http.Do(req)
}

// readAhead reads an answer while there is time for it.
func readAhead(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxManifest))
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return err
}

// requestError says which request failed. It matches [sources.ErrUnavailable] if trying again may help.
type requestError struct {
	method, url string // redacted
	err         error
}

func newRequestError(req *http.Request, err error) error {
	var done *requestError
	if errors.As(err, &done) {
		return err
	}
	var wrapped *url.Error // repeats the URL, with its query
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &requestError{method: req.Method, url: web.Redact(req.URL), err: err}
}

func (e *requestError) Error() string { return fmt.Sprintf("%s %s: %v", e.method, e.url, e.err) }

// Unwrap returns the cause.
func (e *requestError) Unwrap() error { return e.err }

// Is says whether the connection failed. What the registry answers speaks for itself.
func (e *requestError) Is(kind error) bool {
	var registry *RegistryError
	var failed *AuthError
	var refused *web.RefusedError
	if kind != sources.ErrUnavailable || errors.As(e.err, &registry) || errors.As(e.err, &failed) || errors.As(e.err, &refused) {
		return false
	}
	return !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) && web.Transient(&web.TransferError{Err: e.err})
}
