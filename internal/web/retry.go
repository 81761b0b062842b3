package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// backoff waits between attempts: exponentially longer, with jitter so that many clients do not return as one.
type backoff struct {
	next time.Duration
}

func (c *Client) newBackoff() backoff {
	return backoff{next: max(0, cmp.Or(c.FirstBackoff, DefaultFirstBackoff))}
}

// wait sleeps before the next attempt after err. It returns nil when it is time for that, and otherwise the error to
// give up with: err if there is no point in waiting, because it is not transient or the server asks for more patience
// than we have; the context's if that ends first.
func (b *backoff) wait(ctx context.Context, err error) error {
	if !Transient(err) || isUnknownName(err) {
		return err
	}
	pause := b.next/2 + rand.N(b.next/2+1)
	b.next = min(2*b.next, MaxBackoff)
	var status *StatusError
	if errors.As(err, &status) && status.RetryAfter > 0 {
		if status.RetryAfter > MaxRetryAfter {
			return err
		}
		pause = max(pause, status.RetryAfter)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		// What failed before is told, but it is no longer the reason: nobody may take this for an outage.
		return fmt.Errorf("%w, before another attempt after this: %v", ending(ctx), err)
	}
}

// isUnknownName reports whether the name system has answered that there is no such host, which it would say again.
func isUnknownName(err error) bool {
	var name *net.DNSError
	return errors.As(err, &name) && name.IsNotFound && !name.IsTemporary
}

// statusError describes an unwanted answer. https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
func statusError(resp *http.Response) *StatusError {
	return &StatusError{
		URL:        Redact(resp.Request.URL),
		Code:       resp.StatusCode,
		TokenSent:  resp.Request.Header.Get("Authorization") != "",
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
}

func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
