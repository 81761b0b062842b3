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

// maxReferrerPages bounds the list of what refers to an index.
const maxReferrerPages = 100

// newOutlet returns a client of oras for a repository, for all that is not reading documents: publishing, and asking what
// refers to an index. What it replaces is left to the registry's garbage collection; to delete it would take more
// rights, and nobody knows who else uses it.
func newOutlet(r *repository) *remote.Repository {
	return &remote.Repository{
		Client:               outlet{r},
		Reference:            r.ref,
		PlainHTTP:            r.connection.config.PlainHTTP,
		MaxMetadataBytes:     MaxManifest,
		ReferrerListMaxPages: maxReferrerPages,
		SkipReferrersGC:      true,
	}
}

// outlet makes requests within bounds, and errors of what goes wrong, which say what the registry says.
type outlet struct{ *repository }

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

// try makes a request. Only success, redirects and absence are answers.
func (o outlet) try(req *http.Request) (*http.Response, error) {
	resp, err := o.client.Do(req)
	if err != nil {
		return nil, newRequestError(req, err)
	}
	if resp.StatusCode < 400 || resp.StatusCode == http.StatusNotFound {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, newRequestError(req, newRegistryError(resp))
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
