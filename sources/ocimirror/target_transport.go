package ocimirror

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"time"

	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// newPatientClient returns the client under that of oras. It repeats what fails for a reason that may pass.
func newPatientClient(r *repository) *http.Client {
	config := r.connection.config
	policy := &retry.GenericPolicy{
		Retryable: isRetryable,
		Backoff:   retry.ExponentialBackoff(max(cmp.Or(config.Backoff, time.Second), time.Millisecond), 2, 0.1),
		MaxWait:   web.MaxBackoff,
		MaxRetry:  max(0, config.Retries),
	}
	client := &http.Client{
		Transport:     &retry.Transport{Base: whole{r.authorizer}, Policy: func() retry.Policy { return policy }},
		CheckRedirect: r.web.CheckRedirect, // which finds no credentials: the authorizer adds them below, and only where they belong
	}
	if config.Client != nil {
		client.Jar = config.Client.Jar
	}
	return client
}

func isRetryable(resp *http.Response, err error) (bool, error) {
	var refused *web.RefusedError
	switch {
	case err == nil:
		return web.Transient(&web.StatusError{Code: resp.StatusCode}), nil
	case errors.As(err, &refused):
		return false, nil
	}
	return web.Transient(&web.TransferError{Err: err}), nil
}

// whole reads answers before it hands them on, so that a body which breaks is one more failure that is worth another attempt.
// What is larger than a manifest is handed on as it comes.
type whole struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (w whole) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxManifest+1))
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	rest := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), rest}
	return resp, nil
}

var _ http.RoundTripper = whole{}
