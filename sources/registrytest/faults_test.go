package registrytest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func faulty(t *testing.T, faults ...registrytest.Fault) *registrytest.Server {
	t.Helper()
	return registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, Faults: faults})
}

// unredirected returns a client that does not follow redirects.
func unredirected(s *registrytest.Server) *http.Client {
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

func TestFaultsThatReplaceTheAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault  registrytest.Fault
		status int
		header string
		value  string
		body   string
	}{
		"status":             {registrytest.Fault{Status: 503}, 503, "Content-Type", "application/octet-stream", ""},
		"retry after":        {registrytest.Fault{Status: 429, RetryAfter: "7"}, 429, "Retry-After", "7", ""},
		"retry at":           {registrytest.Fault{Status: 503, RetryAfter: "Fri, 31 Dec 1999 23:59:59 GMT"}, 503, "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", ""},
		"body":               {registrytest.Fault{Body: []byte("{")}, 200, "Content-Type", "application/octet-stream", "{"},
		"empty body":         {registrytest.Fault{Body: []byte{}}, 200, "Content-Length", "0", ""},
		"error page":         {registrytest.Fault{Status: 502, Body: []byte("<html>"), ContentType: "text/html"}, 502, "Content-Type", "text/html", "<html>"},
		"redirect":           {registrytest.Fault{Redirect: "/elsewhere", Kind: registrytest.KindOther}, 302, "Location", "/elsewhere", ""},
		"permanent redirect": {registrytest.Fault{Redirect: "https://example.com/", Status: 308}, 308, "Location", "https://example.com/", ""},
	} {
		s := faulty(t, tt.fault)
		r := get(t, unredirected(s), s.URL()+"/nowhere")
		if r.err != nil || r.status != tt.status || r.header.Get(tt.header) != tt.value {
			t.Errorf("%s: status %d, %s %q, error %v", name, r.status, tt.header, r.header.Get(tt.header), r.err)
		}
		if tt.fault.Redirect == "" && string(r.body) != tt.body {
			t.Errorf("%s: body %q", name, r.body)
		}
	}
}

func TestMalformedDocumentKeepsItsMediaType(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Kind: registrytest.KindDiscovery, Body: []byte("[]")})
	r := good(t, s.Client(), s.URL()+"/.well-known/terraform.json")
	if got := r.header.Get("Content-Type"); got != "application/json" || string(r.body) != "[]" {
		t.Errorf("%q of type %q", r.body, got)
	}
}

func TestRedirectLoopNeverEnds(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{RedirectLoop: true})
	if r := get(t, s.Client(), s.URL()+alphaVersions); r.err == nil || !strings.Contains(r.err.Error(), "10 redirects") {
		t.Errorf("error %v", r.err)
	}
}

func TestTruncatedBodyLooksComplete(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]int{1000: 1000, -1: 0, 1 << 40: -1} {
		s := faulty(t, registrytest.Fault{TruncateAt: at, Times: 1})
		part := good(t, s.Client(), s.URL()+alphaArchive)
		whole := good(t, s.Client(), s.URL()+alphaArchive)
		if want < 0 {
			want = len(whole.body)
		}
		if len(part.body) != want || !bytes.HasPrefix(whole.body, part.body) {
			t.Errorf("at %d: %d of %d bytes", at, len(part.body), len(whole.body))
		}
	}
}

func TestCutBodyBreaksTheConnection(t *testing.T) {
	t.Parallel()
	for _, http1 := range []bool{false, true} {
		s := registrytest.New(t, registrytest.Config{
			Releases: []registrytest.Release{alpha}, HTTP1: http1,
			Faults: []registrytest.Fault{{CutAt: 1000, Times: 1}},
		})
		cut := get(t, s.Client(), s.URL()+alphaArchive)
		if cut.err == nil || len(cut.body) != 1000 {
			t.Errorf("HTTP1 %v: %d bytes, error %v", http1, len(cut.body), cut.err)
		}
		rest := get(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=1000-", "If-Range", cut.header.Get("ETag"))
		whole := good(t, s.Client(), s.URL()+alphaArchive)
		if !bytes.Equal(append(cut.body, rest.body...), whole.body) {
			t.Errorf("HTTP1 %v: the download cannot be resumed", http1)
		}
	}
}

func TestCutBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for _, kind := range []registrytest.Kind{registrytest.KindVersions, registrytest.KindArchive} {
		s := faulty(t, registrytest.Fault{Kind: kind, CutAt: -1})
		path := map[registrytest.Kind]string{registrytest.KindVersions: alphaVersions, registrytest.KindArchive: alphaArchive}[kind]
		if r := get(t, s.Client(), s.URL()+path); r.err == nil || r.status != 0 {
			t.Errorf("%s: status %d, error %v", kind, r.status, r.err)
		}
		if log := s.Requests(); log[0].Status != 0 || log[0].Bytes != 0 {
			t.Errorf("%s: the log says %+v", kind, log[0])
		}
	}
}

func TestStalledBodyHangsAfterItsBytes(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{StallAt: 1000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+alphaArchive, nil)
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatalf("the bytes before the stall: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the stall: %d bytes, error %v", n, err)
	}
}

func TestStallBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{StallAt: -1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+alphaVersions, nil)
	if _, err := s.Client().Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestDelayPostponesTheGoodAnswer(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Delay: 50 * time.Millisecond})
	start := time.Now()
	good(t, s.Client(), s.URL()+alphaVersions)
	if d := time.Since(start); d < 50*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
}

func TestHookAnswersOrDeclines(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Hook: func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Hook") == "" {
			return false
		}
		w.WriteHeader(http.StatusTeapot)
		return true
	}})
	if r := get(t, s.Client(), s.URL()+alphaVersions, "X-Hook", "1"); r.status != http.StatusTeapot {
		t.Errorf("status %d", r.status)
	}
	good(t, s.Client(), s.URL()+alphaVersions)
}

func TestEditChangesTheGoodAnswer(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Kind: registrytest.KindPackage, ContentType: "text/plain", Edit: func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"os":"linux"`), []byte(`"os":"plan9"`), 1)
	}})
	r := good(t, s.Client(), s.URL()+alphaPackage)
	if doc := decode[packageDoc](t, r.body); doc.OS != "plan9" || doc.Arch != "amd64" {
		t.Errorf("got %+v", doc)
	}
	if got := r.header.Get("Content-Type"); got != "text/plain" {
		t.Errorf("the media type is %q", got)
	}
	if got := s.Requests()[0].Bytes; got != int64(len(r.body)) {
		t.Errorf("the log has %d of %d bytes", got, len(r.body))
	}
}

func TestEditKeepsTheStatus(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Edit: func(body []byte) []byte { return append(body, body...) }})
	if r := get(t, s.Client(), s.URL()+"/nowhere"); r.status != 404 || r.err != nil {
		t.Errorf("status %d, error %v", r.status, r.err)
	}
	r := good(t, s.Client(), s.URL()+alphaArchive)
	if half := len(r.body) / 2; half == 0 || !bytes.Equal(r.body[:half], r.body[half:]) {
		t.Error("the archive was not doubled")
	}
}

func TestWrongMediaType(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Kind: registrytest.KindDiscovery, ContentType: "text/html"})
	r := good(t, s.Client(), s.URL()+"/.well-known/terraform.json")
	if got := r.header.Get("Content-Type"); got != "text/html" || !bytes.Contains(r.body, []byte("providers.v1")) {
		t.Errorf("%q of type %q", r.body, got)
	}
}

func TestWrongHashChangesOneBitInTheMiddle(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{WrongHash: true, Times: 2})
	bad := good(t, s.Client(), s.URL()+alphaArchive).body
	middle := len(bad) / 2
	part := get(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=100-").body
	whole := good(t, s.Client(), s.URL()+alphaArchive).body
	if bad[middle] != whole[middle]^1 || !bytes.Equal(part, bad[100:]) {
		t.Error("the bit in the middle was not changed in the same place each time")
	}
	bad[middle] ^= 1
	if !bytes.Equal(bad, whole) {
		t.Error("more than one bit was changed")
	}
}

func TestWrongHashOfSums(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Kind: registrytest.KindSums, WrongHash: true, Times: 1})
	if bytes.Equal(good(t, s.Client(), s.URL()+alphaFiles+"_SHA256SUMS").body, good(t, s.Client(), s.URL()+alphaFiles+"_SHA256SUMS").body) {
		t.Error("the checksums were not altered")
	}
}

func TestFaultsApplyToWhatTheySelect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault registrytest.Fault
		bad   string
		good  string
	}{
		"kind":         {registrytest.Fault{Kind: registrytest.KindVersions}, alphaVersions, alphaPackage},
		"provider":     {registrytest.Fault{Provider: "acme/beta"}, "/v1/providers/acme/beta/versions", alphaVersions},
		"host":         {registrytest.Fault{Provider: "one.example.com/acme/alpha"}, "/at/one.example.com" + alphaVersions, "/at/two.example.com" + alphaVersions},
		"method":       {registrytest.Fault{Method: "GET"}, alphaPackage, ""},
		"file pattern": {registrytest.Fault{Path: "*_SHA256SUMS"}, alphaFiles + "_SHA256SUMS", alphaFiles + "_SHA256SUMS.sig"},
		"path pattern": {registrytest.Fault{Path: "/v1/providers/acme/*/versions"}, alphaVersions, alphaPackage},
	} {
		tt.fault.Status = 503
		s := registrytest.New(t, registrytest.Config{
			Releases: []registrytest.Release{alpha, {Provider: "acme/beta", Version: "1.0.0"}},
			Faults:   []registrytest.Fault{tt.fault},
		})
		if r := get(t, s.Client(), s.URL()+tt.bad); r.status != 503 {
			t.Errorf("%s: GET %s: status %d", name, tt.bad, r.status)
		}
		if tt.good == "" {
			resp, err := s.Client().Head(s.URL() + tt.bad)
			if err != nil || resp.StatusCode != 200 {
				t.Errorf("%s: HEAD %s: %v, error %v", name, tt.bad, resp, err)
			}
		} else {
			good(t, s.Client(), s.URL()+tt.good)
		}
		s.ClearFaults()
		good(t, s.Client(), s.URL()+tt.bad)
	}
}

func TestFaultsAreCounted(t *testing.T) {
	t.Parallel()
	s := faulty(t,
		registrytest.Fault{Status: 500, After: 1, Times: 2},
		registrytest.Fault{Status: 501, Times: 2},
	)
	var got []int
	for range 5 {
		got = append(got, get(t, s.Client(), s.URL()+alphaVersions).status)
	}
	want := [5]int{501, 500, 500, 501, 200}
	if [5]int(got) != want {
		t.Errorf("statuses are %v, want %v", got, want)
	}
}

func TestFaultsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]registrytest.Fault{
		"nothing":  {Kind: registrytest.KindArchive},
		"pattern":  {Path: "[", Status: 500},
		"provider": {Provider: "alpha", Status: 500},
		"status":   {Status: 42},
	} {
		_, err := registrytest.Start(registrytest.Config{Faults: []registrytest.Fault{f}})
		var e *registrytest.Error
		if !errors.As(err, &e) || e.Op != "add fault" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
