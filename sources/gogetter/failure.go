package gogetter

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/purveyor-dev/purveyor/sources"
)

// FetchError says that a file or a repository could not be fetched. What went wrong is known as a message only, because
// the errors below repeat addresses with their credentials.
type FetchError struct {
	Location string // redacted
	Message  string // redacted
	Kind     error  // [sources.ErrNotFound], [sources.ErrUnauthorized], [sources.ErrUnavailable], [sources.ErrTooLarge], a context's error, or nil
}

func (e *FetchError) Error() string { return fmt.Sprintf("cannot fetch %s: %s", e.Location, e.Message) }

// Unwrap returns Kind.
func (e *FetchError) Unwrap() error { return e.Kind }

// failure translates the error of a transfer.
func (a *address) failure(location string, err error) error {
	return &FetchError{Location: location, Message: a.redact(err.Error()) + hint(a.kind, err), Kind: kindOf(err)}
}

// hint explains an answer of S3 that is often misunderstood.
func hint(kind string, err error) string {
	if kind == kindS3 && statusOf(err) == http.StatusForbidden {
		return " (S3 says this of objects that do not exist, too, to those who may not list the bucket: allow s3:ListBucket)"
	}
	return ""
}

// kindOf sorts the errors of the getters; nil is for those that a caller can do nothing about.
func kindOf(err error) error {
	var network net.Error
	var ended *endedError
	if errors.As(err, &ended) {
		return ended.kind()
	}
	for _, kind := range []error{sources.ErrUnauthorized, sources.ErrUnavailable} {
		if errors.Is(err, kind) {
			return kind // git's
		}
	}
	switch status := statusOf(err); {
	case status == http.StatusNotFound:
		return sources.ErrNotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return sources.ErrUnauthorized
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500 && status != http.StatusNotImplemented:
		return sources.ErrUnavailable
	case status != 0, isCertificateError(err):
		return nil
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrShortWrite):
		return sources.ErrUnavailable
	}
	return nil
}

// kind sorts the end of a transfer.
func (e *endedError) kind() error {
	switch e.cause {
	case errStalled, errTooSlow:
		return sources.ErrUnavailable
	case errTooMuch:
		return sources.ErrTooLarge
	}
	return e.err
}

// statusOf returns the HTTP status that an error is about, 0 if none. A bucket that does not exist is not absence but a
// mistake in the address.
func statusOf(err error) int {
	var amazon interface{ HTTPStatusCode() int }
	var google *googleapi.Error
	var plain int
	switch {
	case isNoSuchBucket(err):
		return http.StatusNotImplemented
	case errors.Is(err, storage.ErrObjectNotExist):
		return http.StatusNotFound
	case errors.As(err, &amazon):
		return amazon.HTTPStatusCode()
	case errors.As(err, &google):
		return google.Code
	}
	if _, scan := fmt.Sscanf(err.Error(), "bad response code: %d", &plain); scan == nil {
		return plain // of go-getter's HttpGetter, which has no type for it
	}
	return 0
}

func isNoSuchBucket(err error) bool {
	var amazon interface{ ErrorCode() string }
	return errors.Is(err, storage.ErrBucketNotExist) || errors.As(err, &amazon) && amazon.ErrorCode() == "NoSuchBucket"
}

func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host)
}
