package web_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// script answers the first request with its first step, and so on; the last step answers all further requests.
type script struct {
	steps []http.HandlerFunc
	count atomic.Int32
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(s.count.Add(1))
	s.steps[min(n, len(s.steps))-1](w, r)
}

// requests is how many there were.
func (s *script) requests() int { return int(s.count.Load()) }

// serve starts a server on a loopback address. Its connections end with the test.
func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func serveTLS(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// quick returns a client that wastes no time on pauses.
func quick() *web.Client {
	return &web.Client{DocumentRetries: 1, ArchiveRetries: 2, FirstBackoff: time.Millisecond}
}

// trusting returns a quick client that trusts a TLS server's certificate.
func trusting(server *httptest.Server) *web.Client {
	c := quick()
	c.HTTP = server.Client()
	return c
}

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// get fetches a document of at most 1000 bytes.
func get(t *testing.T, c *web.Client, address string) (*web.Document, error) {
	t.Helper()
	return c.Get(t.Context(), web.Get{URL: parse(t, address), Limit: 1000})
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) }
}

// hangUp breaks the connection without an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// hang answers nothing until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// canceled returns a context that has ended.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// listen returns the address of a server that takes connections and says nothing.
func listen(t *testing.T) (string, error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), nil
}
