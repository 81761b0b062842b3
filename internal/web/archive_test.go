package web_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/web"
)

// content returns n bytes of noise.
func content(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// file serves bytes with ranges, and breaks each connection after some of them.
type file struct {
	content []byte
	etag    string // the header's value
	cut     int    // bytes that a connection lets pass; 0: all
	chunked bool   // says no size
	noRange bool   // ignores Range headers

	// edit changes the header of the n-th answer, from 1.
	edit func(n int, h http.Header)

	requests atomic.Int32
}

func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(f.requests.Add(1))
	if f.etag != "" {
		w.Header().Set("ETag", f.etag)
	}
	if f.chunked {
		w.Header().Set("Content-Encoding", "identity") // ServeContent then leaves the length out
	}
	if f.noRange {
		r.Header.Del("Range")
	}
	http.ServeContent(&cutter{ResponseWriter: w, file: f, number: n}, r, "", time.Time{}, bytes.NewReader(f.content))
}

// cutter is the writer of one answer.
type cutter struct {
	http.ResponseWriter
	file   *file
	number int
	sent   int
}

func (c *cutter) WriteHeader(status int) {
	if c.file.edit != nil {
		c.file.edit(c.number, c.Header())
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *cutter) Write(p []byte) (int, error) {
	if c.file.cut == 0 || c.sent+len(p) <= c.file.cut {
		c.sent += len(p)
		return c.ResponseWriter.Write(p)
	}
	_, _ = c.ResponseWriter.Write(p[:c.file.cut-c.sent])
	_ = http.NewResponseController(c.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// read opens an archive and reads all of it.
func read(t *testing.T, c *web.Client, address string) (body []byte, size int64, err error) {
	t.Helper()
	r, size, err := c.Open(t.Context(), web.Archive{URL: parse(t, address)})
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	body, err = io.ReadAll(r)
	return body, size, err
}

func TestArchive(t *testing.T) {
	t.Parallel()
	want := content(100_000)
	for _, f := range []*file{{}, {chunked: true}, {etag: `"v1"`}} {
		f.content = want
		got, size, err := read(t, quick(), serve(t, f).URL)
		if err != nil || sha256.Sum256(got) != sha256.Sum256(want) {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
		if wantSize := map[bool]int64{true: -1, false: 100_000}[f.chunked]; size != wantSize {
			t.Errorf("size = %d, want %d", size, wantSize)
		}
	}
}

// A transfer coding would be undone by nobody, and hashes are those of the file.
func TestArchiveIsNotCompressed(t *testing.T) {
	t.Parallel()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Accept-Encoding"))
	}))
	if got, _, err := read(t, quick(), server.URL); err != nil || string(got) != "identity" {
		t.Errorf("Accept-Encoding: %q, %v", got, err)
	}
}

func TestArchiveGoesOnAtTheByteWhereItBroke(t *testing.T) {
	t.Parallel()
	for _, chunked := range []bool{false, true} {
		t.Run(fmt.Sprint("chunked ", chunked), func(t *testing.T) {
			t.Parallel()
			f := &file{content: content(100_000), etag: `"v1"`, cut: 1_000, chunked: chunked}
			c := quick()
			c.ArchiveRetries = 1
			got, _, err := read(t, c, serve(t, f).URL)
			if err != nil || !bytes.Equal(got, f.content) {
				t.Fatalf("%d bytes, error %v", len(got), err)
			}
			if n := f.requests.Load(); n != 100 {
				t.Errorf("%d requests, want one for each 1000 bytes", n)
			}
		})
	}
}

func TestArchiveHasALimitOfConnections(t *testing.T) {
	t.Parallel()
	f := &file{content: content(web.MaxConnections + 1), etag: `"v1"`, cut: 1}
	got, _, err := read(t, quick(), serve(t, f).URL)
	var transfer *web.TransferError
	if !errors.As(err, &transfer) || !strings.Contains(err.Error(), fmt.Sprint(web.MaxConnections)) {
		t.Errorf("error = %v, want a TransferError that tells the limit", err)
	}
	if n := f.requests.Load(); n != web.MaxConnections || len(got) != web.MaxConnections {
		t.Errorf("%d requests brought %d bytes; want %d", n, len(got), web.MaxConnections)
	}
}

// TestArchiveThatCannotGoOn has servers that do not vouch that the rest is the rest of the same file.
func TestArchiveThatCannotGoOn(t *testing.T) {
	t.Parallel()
	second := func(name, value string) func(int, http.Header) {
		return func(n int, h http.Header) {
			if n == 2 {
				h.Set(name, value)
			}
		}
	}
	for _, c := range []struct {
		name     string
		file     *file
		requests int32
	}{
		{"no validator", &file{}, 1},
		{"weak validator", &file{etag: `W/"v1"`}, 1},
		{"malformed validator", &file{etag: `v1`}, 1},
		{"ranges ignored", &file{etag: `"v1"`, noRange: true}, 2},
		{"changed on the way", &file{etag: `"v1"`, edit: second("ETag", `"v2"`)}, 2},
		{"validator lost", &file{etag: `"v1"`, edit: second("ETag", "")}, 2},
		{"another range", &file{etag: `"v1"`, edit: second("Content-Range", "bytes 501-999/1000")}, 2},
		{"another size", &file{etag: `"v1"`, edit: second("Content-Range", "bytes 500-999/2000")}, 2},
		{"a range of unknown size", &file{etag: `"v1"`, edit: second("Content-Range", "bytes 500-999/*")}, 2},
		{"no range", &file{etag: `"v1"`, edit: second("Content-Range", "")}, 2},
		{"a range of another unit", &file{etag: `"v1"`, edit: second("Content-Range", "lines 500-999/1000")}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.file.content, c.file.cut = content(1000), 500
			got, _, err := read(t, quick(), serve(t, c.file).URL)
			if !errors.Is(err, web.ErrChanged) || !errors.Is(err, fault.ErrUnavailable) {
				t.Errorf("error = %v, want ErrChanged, for which starting over may help", err)
			}
			if !bytes.Equal(got, c.file.content[:500]) {
				t.Errorf("got %d bytes, want the 500 that came", len(got))
			}
			if n := c.file.requests.Load(); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

func TestArchiveThatIsReplacedWhileItIsRead(t *testing.T) {
	t.Parallel()
	before := &file{content: content(1000), etag: `"v1"`, cut: 500}
	after := &file{content: content(1000), etag: `"v2"`} // If-Range does not match: the answer is the whole file
	s := &script{steps: []http.HandlerFunc{before.ServeHTTP, after.ServeHTTP}}
	if _, _, err := read(t, quick(), serve(t, s).URL); !errors.Is(err, web.ErrChanged) {
		t.Errorf("error = %v, want ErrChanged", err)
	}
}

func TestArchiveIsOverWhenItsRangeCannotBeSatisfied(t *testing.T) {
	t.Parallel()
	s := &script{steps: []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `"v1"`)
			_, _ = io.WriteString(w, "all of it")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		status(http.StatusRequestedRangeNotSatisfiable),
	}}
	if _, _, err := read(t, quick(), serve(t, s).URL); !errors.Is(err, web.ErrChanged) {
		t.Errorf("error = %v, want ErrChanged", err)
	}
}

// An answer may end early without an error of HTTP, if its own length says so. The size is known from the range at the
// latest.
func TestArchiveShorterThanDeclared(t *testing.T) {
	t.Parallel()
	for _, chunked := range []bool{false, true} {
		s := &script{steps: []http.HandlerFunc{
			(&file{content: content(1000), etag: `"v1"`, cut: 100, chunked: chunked}).ServeHTTP,
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("ETag", `"v1"`)
				w.Header().Set("Content-Range", "bytes 100-199/1000")
				w.WriteHeader(http.StatusPartialContent)
				_, _ = w.Write(content(1000)[100:200])
			},
			status(404),
		}}
		got, _, err := read(t, quick(), serve(t, s).URL)
		var refused *web.StatusError
		if !errors.As(err, &refused) || len(got) != 200 || s.requests() != 3 {
			t.Errorf("%d bytes, error %v, %d requests; want 200 bytes and the third answer's error", len(got), err, s.requests())
		}
	}
}
