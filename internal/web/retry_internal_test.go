package web

import (
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"0":                              0,
		"120":                            2 * time.Minute,
		"-1":                             0,
		"1.5":                            0,
		"2147483647":                     2147483647 * time.Second,
		"99999999999999999999":           0,
		"Fri, 02 Jan 2026 03:04:35 GMT":  30 * time.Second,
		"Friday, 02-Jan-26 03:04:35 GMT": 30 * time.Second,
		"Fri Jan  2 03:04:35 2026":       30 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT":  0,
		"soon":                           0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("1")
	f.Add("Fri, 02 Jan 2026 03:04:35 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		if got := retryAfter(value, time.Now()); got < 0 {
			t.Errorf("retryAfter(%q) = %v", value, got)
		}
	})
}

func TestBackoffDoublesUpToItsLimit(t *testing.T) {
	t.Parallel()
	b := (&Client{}).newBackoff()
	err := &StatusError{Code: 503, RetryAfter: MaxRetryAfter + 1} // not waited for
	for want := DefaultFirstBackoff; ; want = min(2*want, MaxBackoff) {
		if b.next != want {
			t.Fatalf("next pause is up to %v, want %v", b.next, want)
		}
		if want == MaxBackoff {
			return
		}
		if b.wait(t.Context(), err) != err {
			t.Fatal("waited for longer than MaxRetryAfter")
		}
	}
}
