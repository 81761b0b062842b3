package web_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/web"
)

func TestDocumentRetries(t *testing.T) {
	t.Parallel()
	retryAfter := func(value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	halfBody := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("half"))
	}
	for _, c := range []struct {
		name  string
		first http.HandlerFunc
		again bool
	}{
		{"request timeout", status(408), true},
		{"too many requests", status(429), true},
		{"internal error", status(500), true},
		{"bad gateway", status(502), true},
		{"unavailable", status(503), true},
		{"gateway timeout", status(504), true},
		{"network authentication", status(511), true},
		{"connection broken", hangUp, true},
		{"body broken", halfBody, true},
		{"no answer in time", hang, true},
		{"soon", retryAfter("0"), true},
		{"at a time that has passed", retryAfter("Wed, 21 Oct 2015 07:28:00 GMT"), true},
		{"nonsense", retryAfter("soon"), true},
		{"not implemented", status(501), false},
		{"unauthorized", status(401), false},
		{"forbidden", status(403), false},
		{"not found", status(404), false},
		{"gone", status(410), false},
		{"no content", status(204), false},
		{"redirect to nowhere", status(302), false},
		{"much later", retryAfter("3600"), false},
		{"far in the future", retryAfter("Fri, 31 Dec 2199 23:59:59 GMT"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &script{steps: []http.HandlerFunc{c.first, text("fine")}}
			client := quick()
			client.Timeout = 500 * time.Millisecond
			doc, err := get(t, client, serve(t, s).URL)
			if !c.again {
				if err == nil || s.requests() != 1 {
					t.Errorf("error %v after %d requests; want one after 1", err, s.requests())
				}
				return
			}
			if err != nil || string(doc.Body) != "fine" || s.requests() < 2 {
				t.Errorf("document %+v, error %v after %d requests; want success with the second", doc, err, s.requests())
			}
		})
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	t.Parallel()
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	s := &script{steps: []http.HandlerFunc{busy, text("fine")}}
	start := time.Now()
	if _, err := get(t, quick(), serve(t, s).URL); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("came back after %v, told to wait 1 s", waited)
	}
}

func TestRetriesAreCounted(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{-1: 1, 0: 1, 1: 2, 3: 4} {
		s := &script{steps: []http.HandlerFunc{status(503)}}
		c := quick()
		c.DocumentRetries = retries
		_, err := get(t, c, serve(t, s).URL)
		var refused *web.StatusError
		if !errors.As(err, &refused) || refused.Code != 503 || !errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("error = %v", err)
		}
		if s.requests() != want {
			t.Errorf("DocumentRetries %d made %d requests, want %d", retries, s.requests(), want)
		}
	}
}

func TestNegativeBackoffIsNone(t *testing.T) {
	t.Parallel()
	c := quick()
	c.FirstBackoff = -time.Hour
	s := &script{steps: []http.HandlerFunc{status(503), text("fine")}}
	if _, err := get(t, c, serve(t, s).URL); err != nil {
		t.Error(err)
	}
}

func TestNothingListens(t *testing.T) {
	t.Parallel()
	server := serve(t, text(""))
	server.Close()
	_, err := get(t, quick(), server.URL)
	var transfer *web.TransferError
	if !errors.As(err, &transfer) || !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("error = %v, want a TransferError that is ErrUnavailable", err)
	}
}

func TestCertificateErrorsAreNotRetried(t *testing.T) {
	t.Parallel()
	s := &script{steps: []http.HandlerFunc{text("secret")}}
	server := serveTLS(t, s)
	wrongName := trusting(server)
	for name, attempt := range map[string]func() error{
		"unknown authority": func() error { _, err := get(t, quick(), server.URL); return err },
		"other host": func() error {
			_, err := get(t, wrongName, strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
			return err
		},
		"archive": func() error {
			_, _, err := quick().Open(t.Context(), web.Archive{URL: parse(t, server.URL)})
			return err
		},
	} {
		err := attempt()
		var transfer *web.TransferError
		if !errors.As(err, &transfer) || web.Transient(err) || errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("%s: %v, want a TransferError for good", name, err)
		}
	}
	if s.requests() != 0 {
		t.Errorf("%d requests were made over connections that are not trusted", s.requests())
	}
}

func TestTimeoutIsAnOutage(t *testing.T) {
	t.Parallel()
	s := &script{steps: []http.HandlerFunc{hang}}
	c := quick()
	c.Timeout = 20 * time.Millisecond
	_, err := get(t, c, serve(t, s).URL)
	if !errors.Is(err, fault.ErrUnavailable) || s.requests() != 2 {
		t.Errorf("error = %v after %d requests, want ErrUnavailable after 2", err, s.requests())
	}
}

func TestCallersDeadlineIsNoOutage(t *testing.T) {
	t.Parallel()
	for _, retries := range []int{-1, 1} {
		s := &script{steps: []http.HandlerFunc{hang}}
		c := quick()
		c.DocumentRetries = retries
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := c.Get(ctx, web.Get{URL: parse(t, serve(t, s).URL)})
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, fault.ErrUnavailable) || s.requests() > 1 {
			t.Errorf("error = %v after %d requests, want DeadlineExceeded after 1", err, s.requests())
		}
	}
}

func TestStatusesWithoutAName(t *testing.T) {
	t.Parallel()
	s := &script{steps: []http.HandlerFunc{status(499)}}
	if _, err := get(t, quick(), serve(t, s).URL); err == nil || !strings.HasSuffix(err.Error(), " answered 499") {
		t.Errorf("the error is %q", err)
	}
}

// names is a transport that knows no names, for a reason.
type names struct {
	reason  net.DNSError
	lookups atomic.Int32
}

func (n *names) RoundTrip(*http.Request) (*http.Response, error) {
	n.lookups.Add(1)
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &n.reason}
}

// A name that does not exist is an outage as any other, but not worth waiting for.
func TestNamesThatDoNotExistAreNotLookedUpAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason      net.DNSError
		ofDocuments int32
		ofArchives  int32
	}{
		{net.DNSError{Err: "no such host", Name: "gone.example.com", IsNotFound: true}, 1, 1},
		{net.DNSError{Err: "no answer", Name: "gone.example.com", IsNotFound: true, IsTemporary: true}, 2, 3},
		{net.DNSError{Err: "server misbehaving", Name: "gone.example.com", IsTemporary: true}, 2, 3},
	} {
		documents, archives := &names{reason: test.reason}, &names{reason: test.reason}
		client := func(n *names) *web.Client {
			c := quick()
			c.HTTP = &http.Client{Transport: n}
			return c
		}
		_, noDocument := get(t, client(documents), "https://gone.example.com/x")
		_, _, noArchive := client(archives).Open(t.Context(), web.Archive{URL: parse(t, "https://gone.example.com/x")})
		for _, err := range []error{noDocument, noArchive} {
			if !errors.Is(err, fault.ErrUnavailable) || !errors.As(err, new(*net.DNSError)) {
				t.Errorf("%s: the error is %v", test.reason.Err, err)
			}
		}
		if d, a := documents.lookups.Load(), archives.lookups.Load(); d != test.ofDocuments || a != test.ofArchives {
			t.Errorf("%s: %d lookups for the document, %d for the archive", test.reason.Err, d, a)
		}
	}
}
