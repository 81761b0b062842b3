package netmirror_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestPartsAndConditions(t *testing.T) {
	t.Parallel()
	h := readThrough(t, registry(start(t, registrytest.Config{})))
	whole := expect(t, h, rocketLinux, http.StatusOK)
	body, tag := whole.Body.Bytes(), whole.Header().Get("ETag")
	if got := whole.Header(); len(tag) != 66 || got.Get("Content-Type") != "application/zip" ||
		got.Get("Cache-Control") != "public, max-age=31536000, immutable" || got.Get("Last-Modified") == "" || got.Get("Accept-Ranges") != "bytes" {
		t.Errorf("header is %v", got)
	}
	for _, test := range []struct {
		path   string
		header []string
		status int
		body   []byte
	}{
		{rocketLinux, []string{"Range", "bytes=10-19"}, http.StatusPartialContent, body[10:20]},
		{rocketLinux, []string{"Range", "bytes=-5"}, http.StatusPartialContent, body[len(body)-5:]},
		{rocketLinux, []string{"Range", "bytes=10-19", "If-Range", tag}, http.StatusPartialContent, body[10:20]},
		{rocketLinux, []string{"Range", "bytes=10-19", "If-Range", `"other"`}, http.StatusOK, body},
		{rocketLinux, []string{"Range", fmt.Sprintf("bytes=%d-", len(body))}, http.StatusRequestedRangeNotSatisfiable, nil},
		{rocketLinux, []string{"If-None-Match", tag}, http.StatusNotModified, nil},
		{rocketLinux, []string{"If-None-Match", `"other"`}, http.StatusOK, body},
		{rocketLinux, []string{"If-Modified-Since", whole.Header().Get("Last-Modified")}, http.StatusNotModified, nil},
		{rocketV1, []string{"If-None-Match", expect(t, h, rocketV1, http.StatusOK).Header().Get("ETag")}, http.StatusNotModified, nil},
		{rocketIndex, []string{"If-None-Match", expect(t, h, rocketIndex, http.StatusOK).Header().Get("ETag")}, http.StatusNotModified, nil},
	} {
		w := expect(t, h, test.path, test.status, test.header...)
		if test.body != nil && !bytes.Equal(w.Body.Bytes(), test.body) {
			t.Errorf("%v: the body is another one", test.header)
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	h := newShelf("1.0.0").before(t)
	for method, status := range map[string]int{"HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "OPTIONS": 405, "CONNECT": 405, "X": 405} {
		for _, path := range []string{rocketIndex, rocketV1, rocketLinux} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if w.Code != status || method == "HEAD" && (w.Body.Len() != 0 || w.Header().Get("Content-Length") == "") || status == 405 && w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: status %d, header %v, body %s", method, path, w.Code, w.Header(), w.Body)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	h := newShelf("1.0.0").before(t, in(store))
	expect(t, h, rocketLinux, http.StatusOK)
	long := strings.Repeat("a", 3000)
	tests := map[string]int{
		rocketV1: 200,
		"/registry.example.com/acme/rocket/1.0.json":                 200, // another spelling
		"/Registry.Example.com:443/ACME/Rocket/index.json":           200,
		"/registry.example.com/acme/rocket/index.json?anything=else": 200,
		"/b%C3%BCcher.example.com/acme/rocket/index.json":            200,
		"/xn--bcher-kva.example.com/acme/rocket/index.json":          200,
		"/registry.example.com:8443/acme/rocket/index.json":          200,
		"/":                                  404,
		"/registry.example.com/acme/rocket":  404,
		"/registry.example.com/acme/rocket/": 404,
		"//acme/rocket/index.json":           404,
		"//registry.example.com/acme/rocket/index.json":                     404,
		"/registry.example.com/acme/rocket/index.json/":                     404,
		"/registry.example.com/-/rocket/index.json":                         404, // a legacy address
		"/registry.example.com/acme/terraform-provider-rocket/index.json":   404,
		"/terraform.io/builtin/terraform/index.json":                        404,
		"/registry.example.com/acme/../rocket/index.json":                   404,
		"/registry.example.com/../acme/rocket/index.json":                   404,
		"/../../../etc/passwd":                                              404,
		"/..%2f..%2f..%2fetc/passwd/x/index.json":                           404,
		"/registry.example.com%2facme%2frocket%2findex.json":                404,
		"/registry.example.com%2facme/rocket/index.json":                    404,
		"/.purveyor-mirror/answers/registry.example.com/versions.json":      404,
		"/registry.example.com/acme/rocket/.purveyor.lock":                  404,
		"/registry.example.com/acme/rocket/versions.json":                   404,
		"/registry.example.com/acme/rocket/0.0.0.json":                      404,
		"/registry.example.com/acme/rocket/v1.0.0.json":                     404,
		"/registry.example.com/acme/rocket/9.9.9.json":                      404,
		"/registry.example.com/acme/rocket/INDEX.JSON":                      404,
		"/registry.example.com/acme/rocket/99999999999999999999999.0.json":  404,
		"/registry.example.com/acme/rocket/index.json%00":                   404,
		"/registry.example.com/acme/rocket/" + long + ".json":               404,
		"/" + long + "/acme/rocket/index.json":                              404,
		strings.Replace(rocketLinux, "1.0.0", "1.0", 1):                     404,
		strings.Replace(rocketLinux, "linux", "LINUX", 1):                   404,
		strings.Replace(rocketLinux, "_1.0.0_linux_amd64.zip", ".zip", 1):   404,
		strings.Replace(rocketLinux, ".zip", "_SHA256SUMS", 1):              404,
		strings.Replace(rocketLinux, "linux", "darwin", 1):                  404,
		strings.Replace(rocketLinux, "linux_amd64", "x_SHA256SUMS.key9", 1): 404,
	}
	for path, status := range tests {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.URL = u
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("%.100s: status %d, want %d", path, w.Code, status)
		}
	}
	if got := archives(t, store); len(got) != 1 {
		t.Errorf("stored: %v", got)
	}
}

func FuzzServeHTTP(f *testing.F) {
	for _, seed := range []string{rocketIndex, rocketV1, rocketLinux, "/a/b/c/terraform-provider-c_1.0.0_x_SHA256SUMS.key1.asc", "/..%2f/%00/\xff/1.0.0.json", "/xn--/-/-/+.json"} {
		f.Add(seed)
	}
	h, err := netmirror.NewHandler(netmirror.HandlerConfig{Store: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		for _, u := range []*url.URL{{Path: path}, {Path: path, RawPath: path}, {Path: "/registry.example.com/acme/rocket/" + path}} {
			r.URL = u
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusNotFound {
				t.Errorf("%q: an empty mirror answers %d", path, w.Code)
			}
		}
	})
}

// Nothing that grows with the size of archives, or their number, is kept in memory.
func TestMemoryIsFlat(t *testing.T) {
	const size, times = 32 << 20, 20
	r := released("1.0.0")
	r.Size = size
	h := readThrough(t, registry(start(t, registrytest.Config{Releases: []registrytest.Release{r}})))
	base, client := listen(t, h)
	get := func() int64 {
		res, err := client.Get(base + rocketLinux)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		n, err := io.Copy(io.Discard, res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("status %d, error %v", res.StatusCode, err)
		}
		return n
	}
	total := get()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		total += get()
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; total < times*size/5 || allocated > uint64(total)/4 {
		t.Errorf("%d bytes were allocated to send %d", allocated, total)
	}
}
