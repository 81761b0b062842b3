package web

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// backoff waits between attempts: exponentially longer, with jitter so that many clients do not return as one.
type backoff struct {
	next time.Duration
}

func (c *Client) newBackoff() backoff {
	return backoff{next: cmp.Or(c.FirstBackoff, DefaultFirstBackoff)}
}

// wait sleeps before the next attempt after err. It returns false when there is no point in waiting: err is not
// transient, the server asks for more patience than we have, or the context ends.
func (b *backoff) wait(ctx context.Context, err error) bool {
	if !Transient(err) || ctx.Err() != nil {
		return false
	}
	pause := b.next/2 + rand.N(b.next/2+1)
	b.next = min(2*b.next, MaxBackoff)
	var status *StatusError
	if errors.As(err, &status) && status.RetryAfter > 0 {
		if status.RetryAfter > MaxRetryAfter {
			return false
		}
		pause = max(pause, status.RetryAfter)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
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
