package ocimirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// RegistryError is a refusal by a registry, with the reasons that it gives:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#error-codes. It matches
// [sources.ErrUnauthorized] if the status is 401 or 403.
type RegistryError struct {
	Status  int    // of the HTTP answer: 403
	Code    string // "DENIED"; "" when the registry does not say
	Message string // "denied: requested access to the resource is denied", shortened; it is for people

	answer *web.StatusError // nil: somebody else made this error
}

func (e *RegistryError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("answered %d %s", e.Status, http.StatusText(e.Status))) // not every status has a text
	if e.answer != nil {                                                                          // it also tells of credentials; the URL is named by whoever made the request
		text = strings.TrimPrefix(e.answer.Error(), e.answer.URL+" ")
	}
	return withMessage("the registry "+text, e.Message)
}

// Is makes the error one of kind ErrUnauthorized if the status is 401 or 403.
func (e *RegistryError) Is(kind error) bool {
	return kind == sources.ErrUnauthorized && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// Unwrap returns what else is known of the answer; nil if that is nothing.
func (e *RegistryError) Unwrap() error {
	if e.answer == nil {
		return nil
	}
	return e.answer
}

// isUnknownName reports whether a registry says that it has no repository of such a name, with whatever status but that
// of a refusal: who is not let in is not told what there is.
func isUnknownName(err error) bool {
	var refused *RegistryError
	if !errors.As(err, &refused) || errors.Is(err, sources.ErrUnauthorized) {
		return false
	}
	return refused.Code == errcode.ErrorCodeNameUnknown || refused.Code == errcode.ErrorCodeNameInvalid
}

// isUnsupported reports whether a registry says that it has no such function.
func isUnsupported(err error) bool {
	var refused *RegistryError
	return errors.As(err, &refused) && (refused.Code == errcode.ErrorCodeUnsupported || refused.Status == http.StatusMethodNotAllowed)
}

// teller makes errors of the registry's refusals, with what it says about them. Absence (404) and what is worth another
// attempt are left to the client above.
type teller struct{ *authorizer }

// RoundTrip implements [http.RoundTripper].
func (t teller) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.authorizer.RoundTrip(req)
	if err != nil || !isRefusal(resp.StatusCode) || !t.isOwn(req) {
		return resp, err
	}
	defer resp.Body.Close()
	refused := newRegistryError(resp)
	if t.state.anonymous.Load() {
		refused.answer.TokenSent = false
	}
	return nil, refused
}

var _ http.RoundTripper = teller{}

func isRefusal(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusRequestedRangeNotSatisfiable:
		return false
	}
	return status >= 400 && status < 500
}

func newRegistryError(resp *http.Response) *RegistryError {
	e := &RegistryError{Status: resp.StatusCode, answer: &web.StatusError{
		URL:       web.Redact(resp.Request.URL),
		Code:      resp.StatusCode,
		TokenSent: resp.Request.Header.Get("Authorization") != "",
	}}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		return e // the status says enough
	}
	var document struct {
		Errors errcode.Errors `json:"errors"`
	}
	if json.Unmarshal(body, &document) == nil && len(document.Errors) > 0 {
		e.Code = shown(document.Errors[0].Code)
	}
	e.Message = messageOf(body, resp.Request)
	return e
}

// messageOf returns what a server says in the document of an error, in the form of the OCI or in Docker Hub's. It is
// dropped if it repeats a secret of the request.
func messageOf(body []byte, req *http.Request) string {
	var document struct {
		Errors      errcode.Errors `json:"errors"`
		Details     string         `json:"details"`
		Description string         `json:"error_description"` // https://www.rfc-editor.org/rfc/rfc6749#section-5.2
	}
	if json.Unmarshal(body, &document) != nil {
		return ""
	}
	text := document.Details + document.Description
	if len(document.Errors) > 0 {
		first := document.Errors[0]
		first.Detail = nil
		text = first.Error()
	}
	if text = shown(text); repeatsSecret(text, req) {
		return ""
	}
	return text
}

func repeatsSecret(text string, req *http.Request) bool {
	_, password, _ := req.BasicAuth()
	_, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	return password != "" && strings.Contains(text, password) || token != "" && strings.Contains(text, token)
}

// statusOf describes an unwanted answer of a token service.
func statusOf(resp *http.Response, req *http.Request) *web.StatusError {
	seconds, _ := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31)
	return &web.StatusError{
		URL:        web.Redact(req.URL),
		Code:       resp.StatusCode,
		TokenSent:  req.Header.Get("Authorization") != "" || req.Method == http.MethodPost,
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}
