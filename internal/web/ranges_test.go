package web_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/web"
)

// ranger opens a file that must offer ranges.
func ranger(t *testing.T, c *web.Client, archive web.Archive) web.Ranger {
	t.Helper()
	r, _, err := c.Open(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	ranges, ok := r.(web.Ranger)
	if !ok {
		t.Fatal("no ranges are offered")
	}
	return ranges
}

func readRange(t *testing.T, r web.Ranger, offset, length int64) ([]byte, error) {
	t.Helper()
	body, err := r.OpenRange(t.Context(), offset, length)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

func TestRanges(t *testing.T) {
	t.Parallel()
	f := &file{content: content(100_000), etag: `"v1"`}
	r := ranger(t, quick(), web.Archive{URL: parse(t, serve(t, f).URL)})
	var wait sync.WaitGroup
	for _, part := range [][2]int64{{0, 1}, {0, 100_000}, {99_999, 1}, {50_000, 50_000}, {1, 70_000}} {
		wait.Go(func() {
			got, err := readRange(t, r, part[0], part[1])
			if err != nil || !bytes.Equal(got, f.content[part[0]:part[0]+part[1]]) {
				t.Errorf("%v: %d bytes, %v", part, len(got), err)
			}
		})
	}
	wait.Wait()
	for _, part := range [][2]int64{{-1, 5}, {0, 0}, {0, 100_001}, {100_000, 1}, {5, -1}} {
		if _, err := readRange(t, r, part[0], part[1]); err == nil {
			t.Errorf("%v is in no file of 100000 bytes", part)
		}
	}
}

func TestRangesGoOnWhereTheyBroke(t *testing.T) {
	t.Parallel()
	f := &file{content: content(10_000), etag: `"v1"`, cut: 700}
	r := ranger(t, quick(), web.Archive{URL: parse(t, serve(t, f).URL)})
	got, err := readRange(t, r, 1000, 7000)
	if err != nil || !bytes.Equal(got, f.content[1000:8000]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if n := f.requests.Load(); n != 1+10 {
		t.Errorf("%d requests, want one to open and one for each 700 bytes", n)
	}
}

// Ranges are offered only if they are sure to be of one file.
func TestNoRanges(t *testing.T) {
	t.Parallel()
	header := func(name, value string) func(int, http.Header) {
		return func(_ int, h http.Header) { h.Set(name, value) }
	}
	for name, f := range map[string]*file{
		"no validator":     {},
		"weak validator":   {etag: `W/"v1"`},
		"unknown size":     {etag: `"v1"`, chunked: true},
		"no ranges":        {etag: `"v1"`, edit: header("Accept-Ranges", "none")},
		"fresh":            {edit: header("Last-Modified", time.Now().UTC().Format(http.TimeFormat))},
		"not a date":       {edit: header("Last-Modified", "yesterday")},
		"weak, with date":  {etag: `W/"v1"`, edit: header("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")},
		"content encoding": {etag: `"v1"`, content: pack(t, content(5000)), edit: header("Content-Encoding", "gzip")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if f.content == nil {
				f.content = content(5000)
			}
			r, _, err := quick().Open(t.Context(), web.Archive{URL: parse(t, serve(t, f).URL)})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if _, ok := r.(web.Ranger); ok {
				t.Error("ranges are offered")
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content(5000)) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

func pack(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A date is as good as a tag if nothing can have happened since within its second.
func TestRangesByDate(t *testing.T) {
	t.Parallel()
	const modified = "Mon, 02 Jan 2006 15:04:05 GMT"
	at, _ := http.ParseTime(modified)
	want := content(10_000)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" && r.Header.Get("If-Range") != modified {
			t.Errorf("If-Range is %q", r.Header.Get("If-Range"))
		}
		http.ServeContent(w, r, "", at, bytes.NewReader(want))
	}))
	r := ranger(t, quick(), web.Archive{URL: parse(t, server.URL)})
	if got, err := readRange(t, r, 100, 200); err != nil || !bytes.Equal(got, want[100:300]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// What a URL with a digest in it leads to cannot change, whatever the server says about it.
func TestRangesOfImmutableFiles(t *testing.T) {
	t.Parallel()
	f := &file{content: content(10_000), cut: 3000}
	archive := web.Archive{URL: parse(t, serve(t, f).URL), Immutable: true}
	if got, err := readRange(t, ranger(t, quick(), archive), 100, 9000); err != nil || !bytes.Equal(got, f.content[100:9100]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	r, _, err := quick().Open(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, f.content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestRangesOfAFileThatChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*file){
		"tag":       func(f *file) { f.etag = `"v2"` },
		"no ranges": func(f *file) { f.noRange = true },
		"shorter":   func(f *file) { f.content = f.content[:500] },
		"coding":    func(f *file) { f.edit = func(_ int, h http.Header) { h.Set("Content-Encoding", "gzip") } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &file{content: content(1000), etag: `"v1"`}
			r := ranger(t, quick(), web.Archive{URL: parse(t, serve(t, f).URL)})
			change(f)
			if _, err := readRange(t, r, 900, 10); !errors.Is(err, web.ErrChanged) || !errors.Is(err, fault.ErrUnavailable) {
				t.Errorf("error = %v, want ErrChanged", err)
			}
		})
	}
}

// Signed URLs are used as long as they last. Credentials stay with the origin they are for.
func TestRangesAfterARedirect(t *testing.T) {
	t.Parallel()
	f := &file{content: content(1000), etag: `"v1"`}
	var expired atomic.Bool
	var tokens sync.Map
	store := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens.Store("store "+r.Header.Get("Authorization"), true)
		if expired.Load() && r.URL.Query().Get("sig") != "2" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		f.ServeHTTP(w, r)
	}))
	var asked atomic.Int32
	registry := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens.Store("registry "+r.Header.Get("Authorization"), true)
		http.Redirect(w, r, fmt.Sprintf("%s/?sig=%d", store.URL, asked.Add(1)), http.StatusFound)
	}))
	r := ranger(t, quick(), web.Archive{URL: parse(t, registry.URL), Token: "S3CRET"})
	for range 3 {
		if _, err := readRange(t, r, 10, 10); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the redirect was asked for %d times, want once", n)
	}
	expired.Store(true)
	if got, err := readRange(t, r, 10, 10); err != nil || !bytes.Equal(got, f.content[10:20]) {
		t.Errorf("after the URL expired: %d bytes, %v", len(got), err)
	}
	tokens.Range(func(k, _ any) bool {
		if k != "registry Bearer S3CRET" && k != "store " {
			t.Errorf("unexpected credentials: %v", k)
		}
		return true
	})
}

func TestGzippedArchive(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{"whole": pack(t, content(50_000)), "not gzip": content(100), "cut": pack(t, content(50_000))[:1000]} {
		server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(body)
		}))
		got, size, err := read(t, quick(), server.URL)
		if name == "whole" && (err != nil || size != -1 || !bytes.Equal(got, content(50_000))) {
			t.Errorf("%d bytes of %d, %v", len(got), size, err)
		}
		if name != "whole" && err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var refused *web.RefusedError
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br") }))
	if _, _, err := read(t, quick(), server.URL); !errors.As(err, &refused) {
		t.Errorf("another coding: %v", err)
	}
}

// On HTTP/2 all archives would share one connection.
func TestArchivesHaveConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	var protocols sync.Map
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols.Store(strings.TrimPrefix(r.URL.Path, "/"), r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c := quick()
	c.HTTP = server.Client()
	for range 2 {
		if _, err := c.Get(t.Context(), web.Get{URL: parse(t, server.URL+"/document"), Limit: 10}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(t, c, server.URL+"/archive"); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"document": "HTTP/2.0", "archive": "HTTP/1.1"} {
		if got, _ := protocols.Load(path); got != want {
			t.Errorf("%s came by %v, want %v", path, got, want)
		}
	}
}
