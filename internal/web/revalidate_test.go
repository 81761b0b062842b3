package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/web"
)

// versioned serves a text with a tag, or a date, and counts the answers that had a body.
type versioned struct {
	text   atomic.Value // string
	header string
	bodies atomic.Int32
}

func (v *versioned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := v.text.Load().(string)
	value := fmt.Sprintf("%.10q", text)
	asked := r.Header.Get("If-None-Match")
	if v.header == "Last-Modified" {
		value, asked = text, r.Header.Get("If-Modified-Since")
	}
	w.Header().Set(v.header, value)
	if asked == value {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	v.bodies.Add(1)
	_, _ = w.Write([]byte(text))
}

func ask(t *testing.T, c *web.Client, address, token string) string {
	t.Helper()
	doc, err := c.Get(t.Context(), web.Get{URL: parse(t, address), Token: token, Limit: 10 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if doc.Status != http.StatusOK {
		t.Errorf("status %d", doc.Status)
	}
	return string(doc.Body)
}

func TestDocumentsAreSentAgainOnlyIfTheyHaveChanged(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"ETag", "Last-Modified"} {
		v := &versioned{header: header}
		server, c := serve(t, v), quick()
		bodies := int32(0)
		for _, text := range []string{"one", "one", "one", "two", "two"} {
			if old := v.text.Swap(text); old != text {
				bodies++
			}
			if got := ask(t, c, server.URL, ""); got != text {
				t.Errorf("%s: got %q, want %q", header, got, text)
			}
		}
		if n := v.bodies.Load(); n != bodies {
			t.Errorf("%s: %d bodies were sent, want %d", header, n, bodies)
		}
	}
}

// What somebody with a token gets is not for others.
func TestDocumentsAreRememberedForTheirTokens(t *testing.T) {
	t.Parallel()
	v := &versioned{header: "ETag"}
	v.text.Store("one")
	server, c := serve(t, v), quick()
	for range 2 {
		for _, token := range []string{"", "a", "b"} {
			ask(t, c, server.URL, token)
		}
	}
	if n := v.bodies.Load(); n != 3 {
		t.Errorf("%d bodies were sent, want one for each token and one without", n)
	}
}

func TestNotAllDocumentsAreRemembered(t *testing.T) {
	t.Parallel()
	v := &versioned{header: "ETag"}
	v.text.Store(strings.Repeat("x", 3<<20))
	server, c := serve(t, v), quick()
	for _, path := range []string{"/1", "/2", "/3", "/3", "/2", "/1"} { // two of them fit into 8 MiB
		ask(t, c, server.URL+path, "")
	}
	if n := v.bodies.Load(); n != 4 {
		t.Errorf("%d bodies were sent, want 4: the two used last are remembered", n)
	}
}

// A redirect that leads elsewhere by now finds a server that confirms another document with the same tag.
func TestAnotherServersConfirmation(t *testing.T) {
	t.Parallel()
	serveTagged := func(text string) string {
		return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = w.Write([]byte(text))
		})).URL
	}
	var target atomic.Value
	front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.Load().(string), http.StatusFound)
	}))
	c := quick()
	for _, text := range []string{"one", "two"} {
		target.Store(serveTagged(text))
		if got := ask(t, c, front.URL, ""); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

// However small documents are, only so many are remembered.
func TestNotAllSmallDocumentsAreRemembered(t *testing.T) {
	t.Parallel()
	v := &versioned{header: "ETag"}
	v.text.Store("{}")
	server, c := serve(t, v), quick()
	const many = 20_000
	for i := range many {
		ask(t, c, fmt.Sprint(server.URL, "/", i), "")
	}
	before := v.bodies.Load()
	for _, path := range []string{"/0", "/1", fmt.Sprint("/", many-1)} {
		ask(t, c, server.URL+path, "")
	}
	if n := v.bodies.Load() - before; n != 2 {
		t.Errorf("%d bodies were sent again, want 2: the first ones are forgotten", n)
	}
}

// A server that answers "not modified" without having been asked is wrong, and so is one that goes on about it.
func TestNotModifiedOfNothing(t *testing.T) {
	t.Parallel()
	var failed *web.StatusError
	if _, err := get(t, quick(), serve(t, status(http.StatusNotModified)).URL); !errors.As(err, &failed) || failed.Code != http.StatusNotModified {
		t.Errorf("error is %v", err)
	}
}

// Whoever changes what he got does not change what the next one gets.
func TestDocumentsBelongToThoseWhoGetThem(t *testing.T) {
	t.Parallel()
	v := &versioned{header: "ETag"}
	v.text.Store("one")
	server, c := serve(t, v), quick()
	for range 3 {
		doc, err := get(t, c, server.URL)
		if err != nil || string(doc.Body) != "one" {
			t.Fatalf("got %q, %v", doc.Body, err)
		}
		copy(doc.Body, "bad")
	}
}
