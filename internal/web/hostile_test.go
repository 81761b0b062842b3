package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/web"
)

// Others may have read parts of the first file already, so nothing of a second one may follow.
func TestAFileThatChangesBeforeItsFirstByte(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]*file{
		"another tag":    {content: content(1000), etag: `"v2"`},
		"no tag":         {content: content(1000)},
		"another coding": {content: content(1000), etag: `"v1"`, edit: func(_ int, h http.Header) { h.Set("Content-Encoding", "gzip") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := func(w http.ResponseWriter, r *http.Request) {
				(&file{content: content(1000), etag: `"v1"`, cut: 1}).ServeHTTP(headerOnly{w}, r)
			}
			s := &script{steps: []http.HandlerFunc{first, second.ServeHTTP}}
			if got, _, err := read(t, quick(), serve(t, s).URL); !errors.Is(err, web.ErrChanged) {
				t.Errorf("%d bytes, %v; want ErrChanged", len(got), err)
			}
		})
	}
}

// headerOnly breaks the connection when the body begins.
type headerOnly struct{ http.ResponseWriter }

func (h headerOnly) Write([]byte) (int, error) {
	_ = http.NewResponseController(h.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// A file that is not read in parts may be another one as long as nothing of it was read.
func TestAPlainFileThatChangesBeforeItsFirstByte(t *testing.T) {
	t.Parallel()
	none := func(_ int, h http.Header) { h.Del("Accept-Ranges") }
	first := func(w http.ResponseWriter, r *http.Request) {
		(&file{content: content(1000), etag: `"v1"`, edit: none}).ServeHTTP(headerOnly{w}, r)
	}
	second := &file{content: content(1000), etag: `"v2"`, edit: none}
	s := &script{steps: []http.HandlerFunc{first, second.ServeHTTP}}
	if got, _, err := read(t, quick(), serve(t, s).URL); err != nil || !bytes.Equal(got, second.content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Ranges that say something impossible, or more than was asked for.
func TestRangesThatLie(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contentRange string
		want         string // of bytes 2 to 5; empty: ErrChanged
	}{
		{"bytes 2-5/10", "cdef"},
		{"bytes 2-9/10", "cdef"},
		{"bytes 2-5/11", ""},
		{"bytes 2-5/4", ""},
		{"bytes 2-5/*", ""},
		{"bytes 2-5/-1", ""},
		{"bytes 1-5/10", ""},
		{"bytes 2-1/10", ""},
		{"bytes 2-10/10", ""},
		{"bytes */10", ""},
		{"2-5/10", ""},
		{"", ""},
	} {
		t.Run(strings.ReplaceAll(c.contentRange, "/", " of "), func(t *testing.T) {
			t.Parallel()
			r := ranger(t, quick(), web.Archive{URL: parse(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"v1"`)
				w.Header().Set("Accept-Ranges", "bytes")
				if r.Header.Get("Range") == "" {
					_, _ = io.WriteString(w, "abcdefghij")
					return
				}
				w.Header().Set("Content-Range", c.contentRange)
				w.WriteHeader(http.StatusPartialContent)
				_, _ = io.WriteString(w, "cdefghijkl")
			})).URL)})
			got, err := readRange(t, r, 2, 4)
			if string(got) != c.want || (c.want == "") != errors.Is(err, web.ErrChanged) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// A file ends where the server said at first, however much a later answer brings.
func TestMoreThanTheFile(t *testing.T) {
	t.Parallel()
	for name, sized := range map[string]bool{"known size": true, "size known later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("ETag", `"v1"`)
				if sized {
					w.Header().Set("Content-Length", "10")
				}
				_, _ = io.WriteString(w, "abc")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			more := func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("ETag", `"v1"`)
				w.Header().Set("Content-Range", "bytes 3-9/10")
				w.WriteHeader(http.StatusPartialContent)
				_, _ = io.WriteString(w, "defghijKLMNO")
			}
			s := &script{steps: []http.HandlerFunc{broken, more}}
			if got, _, err := read(t, quick(), serve(t, s).URL); err != nil || string(got) != "abcdefghij" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// A token that a redirect made the client leave behind is not taken up again because the last stop is at home.
func TestRangesAfterARedirectThereAndBack(t *testing.T) {
	t.Parallel()
	f := &file{content: content(1000), etag: `"v1"`}
	var home, away string
	var mu sync.Mutex
	var seen []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization"))
		mu.Unlock()
		switch r.URL.Path {
		case "/archive":
			http.Redirect(w, r, away+"/elsewhere", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, home+"/private", http.StatusFound)
		default:
			f.ServeHTTP(w, r)
		}
	})
	home, away = serve(t, handler).URL, serve(t, handler).URL
	r := ranger(t, quick(), web.Archive{URL: parse(t, home+"/archive"), Token: "t0ken"})
	if _, err := readRange(t, r, 10, 10); err != nil {
		t.Fatal(err)
	}
	want := []string{"/archive Bearer t0ken", "/elsewhere ", "/private ", "/private "}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("requests are %q, want %q", seen, want)
	}
}

// Whoever waits for a connection waits for other downloads, which the server is not to blame for.
func TestWaitingForAConnectionIsNoStall(t *testing.T) {
	t.Parallel()
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		for range 10 {
			_, _ = io.WriteString(w, "x")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(100 * time.Millisecond)
		}
	})
	c := quick()
	c.Stall = 400 * time.Millisecond
	c.ArchiveRetries = 0
	c.HTTP = &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	url := serve(t, slow).URL
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if got, _, err := read(t, c, url); err != nil || len(got) != 10 {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	wait.Wait()
}

// A server that takes connections and never answers is a stall in any phase.
func TestStallsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	silent, err := listen(t)
	if err != nil {
		t.Fatal(err)
	}
	c := quick()
	c.Stall = 50 * time.Millisecond
	c.ArchiveRetries = 1
	c.HTTP = &http.Client{Transport: &http.Transport{}} // without a time limit for handshakes
	for _, scheme := range []string{"http", "https"} {
		if _, _, err := read(t, c, scheme+"://"+silent); !errors.Is(err, web.ErrStalled) {
			t.Errorf("%s: error is %v, want ErrStalled", scheme, err)
		}
	}
}

// What a server wants to be sent back with each request has a limit.
func TestLongTagsAreNoValidators(t *testing.T) {
	t.Parallel()
	f := &file{content: content(1000), etag: `"` + strings.Repeat("x", 64<<10) + `"`}
	r, _, err := quick().Open(t.Context(), web.Archive{URL: parse(t, serve(t, f).URL)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, ok := r.(web.Ranger); ok {
		t.Error("ranges are offered")
	}
}

// However many parts a file is read in, there is one limit for all connections that break.
func TestPartsShareTheLimitOfConnections(t *testing.T) {
	t.Parallel()
	f := &file{content: content(100_000), etag: `"v1"`, cut: 100}
	r := ranger(t, quick(), web.Archive{URL: parse(t, serve(t, f).URL)})
	parts := 0
	var err error
	for ; err == nil && parts < 100; parts++ {
		_, err = readRange(t, r, int64(parts)*1000, 1000) // breaks nine times
	}
	if !errors.Is(err, fault.ErrUnavailable) || parts != web.MaxConnections/9+1 {
		t.Errorf("after %d parts, %d requests: %v", parts, f.requests.Load(), err)
	}
}
