package slowlink_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
)

// serve starts a TLS server behind a link.
func serve(listener net.Listener, http2 bool, handler http.HandlerFunc) *httptest.Server {
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}, EnableHTTP2: http2}
	server.StartTLS()
	return server
}

func get(t *testing.T, client *http.Client, url string) time.Duration {
	t.Helper()
	started := time.Now()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return time.Since(started)
}

func TestHandshakesTakeRoundTrips(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprint("http2=", http2), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const roundTrip = 30 * time.Millisecond
				w := newWorld(t, slowlink.Link{Delay: roundTrip / 2})
				server := serve(w, http2, func(http.ResponseWriter, *http.Request) {})
				defer server.Close()
				client := server.Client()
				client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
					return w.memory.dial(), nil
				}
				if got := get(t, client, "https://example.com/"); got != 3*roundTrip {
					t.Errorf("the first request took %v; want 3 round trips: TCP, TLS, the request", got)
				}
				if got := get(t, client, "https://example.com/"); got != roundTrip {
					t.Errorf("the second request took %v, want %v", got, roundTrip)
				}
				if got := w.Connections(); got.All != 1 {
					t.Errorf("connections: %+v", got)
				}
				client.CloseIdleConnections()
			})
		})
	}
}

// BenchmarkDownload shows how exact the rate is, and, as processor time, what the link costs. The answer is sent over TLS
// to a client in this process.
//
//	go test -bench Download -benchtime 3x ./internal/slowlink
func BenchmarkDownload(b *testing.B) {
	for _, rate := range []int64{0, 1e6, 40e6, 200e6} {
		b.Run(fmt.Sprint("rate=", rate), func(b *testing.B) {
			size := 2 * cmp.Or(rate, 100e6)
			inner, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			link := slowlink.Link{BytesPerSecond: rate, Delay: 10 * time.Millisecond}
			server := serve(link.Listen(inner), true, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.CopyN(w, zeros{}, size)
			})
			defer server.Close()
			b.SetBytes(size)
			for b.Loop() {
				resp, err := server.Client().Get(server.URL)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
					b.Fatal(n, err)
				}
				_ = resp.Body.Close()
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func ExampleLink_Listen() {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	listener := slowlink.Link{Delay: 10 * time.Millisecond, BytesPerSecond: 1e6}.Listen(inner)
	server := serve(listener, true, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "slow") })
	defer server.Close()

	started := time.Now()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	fmt.Println("took three round trips:", time.Since(started) > 60*time.Millisecond)
	fmt.Println("connections:", listener.Connections().All)
	// Output:
	// slow <nil>
	// took three round trips: true
	// connections: 1
}
