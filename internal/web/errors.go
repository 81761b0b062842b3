package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
)

// StatusError is an answer with another status than the one that was needed.
type StatusError struct {
	URL        string // redacted; the last one, after redirects
	Code       int
	TokenSent  bool          // the request carried credentials
	RetryAfter time.Duration // what the server asked for; zero: nothing
}

func (e *StatusError) Error() string {
	msg := strings.TrimSpace(fmt.Sprintf("%s answered %d %s", e.URL, e.Code, http.StatusText(e.Code))) // not every status has a text
	switch {
	case !e.refusal():
		return msg
	case e.TokenSent:
		return msg + ": the credentials that were sent are not accepted"
	}
	return msg + ": no credentials were sent"
}

func (e *StatusError) refusal() bool {
	return e.Code == http.StatusUnauthorized || e.Code == http.StatusForbidden
}

// Is sorts the status into the kinds of package fault.
func (e *StatusError) Is(kind error) bool {
	return kind == fault.ErrUnauthorized && e.refusal() || kind == fault.ErrUnavailable && Transient(e)
}

// RefusedError is a request that this client does not make.
type RefusedError struct {
	URL string // redacted
	Why string
}

func (e *RefusedError) Error() string { return "refused to request " + e.URL + ": " + e.Why }

// LimitError is an answer larger than its limit.
type LimitError struct {
	URL   string // redacted
	Limit int64  // bytes
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s answered with more than %d bytes, the limit for this kind of document", e.URL, e.Limit)
}

// Is makes the error one of kind ErrTooLarge.
func (e *LimitError) Is(kind error) bool { return kind == fault.ErrTooLarge }

// TransferError is a request that failed below HTTP, or a body that broke.
type TransferError struct {
	URL string // redacted
	Err error

	ended bool // the caller's context ended; whether the server is to blame is not known
}

func (e *TransferError) Error() string { return "GET " + e.URL + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *TransferError) Unwrap() error { return e.Err }

// Is makes the error one of kind ErrUnavailable when trying again may help.
func (e *TransferError) Is(kind error) bool { return kind == fault.ErrUnavailable && Transient(e) }

// ErrStalled is the cause of a transfer that was given up because no byte arrived for too long.
var ErrStalled = errors.New("no data arrived for too long")

// ErrChanged is the cause of a transfer that broke and cannot go on where it was, since the server does not vouch
// that it still has the same bytes. Starting over may help.
var ErrChanged = errors.New("the connection broke, and the server cannot continue the same file")

// Transient reports whether trying the same again may help.
func Transient(err error) bool {
	var status *StatusError
	var transfer *TransferError
	switch {
	case errors.As(err, &status):
		return status.Code == http.StatusTooManyRequests || status.Code == http.StatusRequestTimeout ||
			status.Code >= 500 && status.Code != http.StatusNotImplemented
	case errors.As(err, &transfer):
		return !transfer.ended && !isCertificateError(transfer.Err)
	}
	return false
}

func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// failure turns an error of the standard client into one of this package's. The context's own end stays visible.
func failure(ctx context.Context, u *url.URL, err error) error {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused
	}
	var wrapped *url.Error // repeats the URL, with its query
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if ctx.Err() == nil {
		return &TransferError{URL: Redact(u), Err: err}
	}
	err = ending(ctx)
	return &TransferError{URL: Redact(u), Err: err, ended: err != ErrStalled && err != errTimeout}
}

// ending says why ctx ended. A caller's cancel stays recognisable as one, whatever cause the caller gave it.
func ending(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == ErrStalled || cause == errTimeout || errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}
