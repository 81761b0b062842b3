package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/web"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	var seen *http.Request
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/here", http.StatusFound)
			return
		}
		seen = r
		w.Header().Set("Content-Type", "Application/JSON; charset=utf-8")
		_, _ = w.Write([]byte("{}"))
	}))
	c := quick()
	c.UserAgent = "test/1"
	doc, err := c.Get(t.Context(), web.Get{URL: parse(t, server.URL+"/moved"), Accept: "application/json", Token: "t0ken", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if doc.URL.String() != server.URL+"/here" || doc.Status != 200 || doc.MediaType != "application/json" || string(doc.Body) != "{}" {
		t.Errorf("document = %+v", doc)
	}
	for header, want := range map[string]string{
		"Accept": "application/json", "Authorization": "Bearer t0ken", "User-Agent": "test/1", "Referer": "",
	} {
		if got := seen.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

func TestAcceptedStatusHasNoBody(t *testing.T) {
	t.Parallel()
	server := serve(t, http.NotFoundHandler())
	doc, err := quick().Get(t.Context(), web.Get{URL: parse(t, server.URL), Status: []int{404}})
	if err != nil || doc.Status != 404 || doc.Body != nil {
		t.Errorf("document = %+v, %v", doc, err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1001)
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = w.Write([]byte(long))
	}
	bomb := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Error("the transport asks for no compression: this test shows nothing")
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		for range 1000 {
			_, _ = z.Write([]byte(long))
		}
		_ = z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
	for name, handler := range map[string]http.HandlerFunc{"declared": text(long), "chunked": chunked, "gzip bomb": bomb} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{steps: []http.HandlerFunc{handler}}
			_, err := get(t, quick(), serve(t, s).URL)
			var limit *web.LimitError
			if !errors.As(err, &limit) || limit.Limit != 1000 || !errors.Is(err, fault.ErrTooLarge) || s.requests() != 1 {
				t.Errorf("error = %v after %d requests, want a LimitError after 1", err, s.requests())
			}
		})
	}
	t.Run("exactly", func(t *testing.T) {
		t.Parallel()
		if doc, err := get(t, quick(), serve(t, text(long[:1000])).URL); err != nil || len(doc.Body) != 1000 {
			t.Errorf("error = %v", err)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "100")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	stuck := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, handler := range map[string]http.HandlerFunc{"before the answer": hang, "in the body": stuck, "in a pause": busy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cause := errors.New("the user pressed a key")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
			start := time.Now()
			_, err := quick().Get(ctx, web.Get{URL: parse(t, serve(t, handler).URL), Limit: 1000})
			if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || errors.Is(err, fault.ErrUnavailable) {
				t.Errorf("error = %v, want Canceled with its cause", err)
			}
			if waited := time.Since(start); waited > 5*time.Second {
				t.Errorf("returned after %v", waited)
			}
		})
	}
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	for _, code := range []int{401, 403} {
		server := serve(t, status(code))
		var messages [2]string
		for i, token := range []string{"", "t0ken"} {
			_, err := quick().Get(t.Context(), web.Get{URL: parse(t, server.URL), Token: token})
			var refused *web.StatusError
			if !errors.As(err, &refused) || refused.TokenSent != (token != "") || !errors.Is(err, fault.ErrUnauthorized) {
				t.Fatalf("error = %v", err)
			}
			messages[i] = err.Error()
		}
		if messages[0] == messages[1] || strings.Contains(messages[1], "t0ken") {
			t.Errorf("messages = %q", messages)
		}
	}
}

func TestReplacedDefaultTransport(t *testing.T) { // not parallel: it replaces a global variable
	standard := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = standard })
	http.DefaultTransport = struct{ http.RoundTripper }{standard}
	if _, err := get(t, quick(), serve(t, text("fine")).URL); err != nil {
		t.Error(err)
	}
}
