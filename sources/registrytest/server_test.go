package registrytest_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// alpha is the release that most tests serve.
var alpha = registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux_amd64", "windows_arm64"}}

const (
	alphaVersions = "/v1/providers/acme/alpha/versions"
	alphaPackage  = "/v1/providers/acme/alpha/1.0.0/download/linux/amd64"
	alphaFiles    = "/releases/acme/alpha/1.0.0/terraform-provider-alpha_1.0.0"
	alphaArchive  = alphaFiles + "_linux_amd64.zip"
)

// response is a complete answer, or what arrived of it.
type response struct {
	status int
	header http.Header
	proto  string
	body   []byte
	err    error // of sending or of reading the body
}

// get makes a request with headers given as name, value, name, value.
func get(t *testing.T, client *http.Client, url string, header ...string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(client, req)
}

func do(client *http.Client, req *http.Request) response {
	resp, err := client.Do(req)
	if err != nil {
		return response{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, resp.Proto, body, err}
}

// good is get for answers that must have status 200.
func good(t *testing.T, client *http.Client, url string, header ...string) response {
	t.Helper()
	r := get(t, client, url, header...)
	if r.err != nil || r.status != http.StatusOK {
		t.Fatalf("GET %s: status %d, error %v", url, r.status, r.err)
	}
	return r
}

func decode[T any](t *testing.T, data []byte) (doc T) {
	t.Helper()
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return doc
}

type versionsDoc struct {
	Versions []struct {
		Version   string
		Protocols []string
		Platforms []struct{ OS, Arch string }
	}
	Warnings []string
}

type packageDoc struct {
	Protocols    []string
	OS, Arch     string
	Filename     string
	DownloadURL  string `json:"download_url"`
	SumsURL      string `json:"shasums_url"`
	SignatureURL string `json:"shasums_signature_url"`
	Shasum       string
	SigningKeys  struct {
		Keys []struct {
			ID    string `json:"key_id"`
			Armor string `json:"ascii_armor"`
		} `json:"gpg_public_keys"`
	} `json:"signing_keys"`
	Packages map[string]struct {
		Hashes []string
		Size   int64 `json:"package_size"`
	}
}

func versionsOf(t *testing.T, client *http.Client, url string) []string {
	t.Helper()
	var versions []string
	for _, v := range decode[versionsDoc](t, good(t, client, url).body).Versions {
		versions = append(versions, v.Version)
	}
	return versions
}

func TestDiscoveryNamesTheProviderService(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	r := good(t, s.Client(), s.URL()+"/.well-known/terraform.json")
	if got := decode[map[string]string](t, r.body)["providers.v1"]; got != "/v1/providers/" {
		t.Errorf("providers.v1 is %q", got)
	}
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("the media type is %q", got)
	}
	if got, want := s.Services()["providers.v1"], "https://"+s.Host()+"/v1/providers/"; got != want {
		t.Errorf("Services says %q, want %q", got, want)
	}
}

func TestVersionsAreListedAsSpelled(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		alpha,
		{Provider: "acme/alpha", Version: "v2 odd", Protocols: []string{"6.0"}, Warnings: []string{"moved"}},
	}})
	doc := decode[versionsDoc](t, good(t, s.Client(), s.URL()+alphaVersions).body)
	if len(doc.Versions) != 2 || doc.Versions[1].Version != "v2 odd" {
		t.Fatalf("got %+v", doc)
	}
	first := doc.Versions[0]
	if !slices.Equal(first.Protocols, []string{"5.0"}) || first.Platforms[1].OS != "windows" || first.Platforms[1].Arch != "arm64" {
		t.Errorf("got %+v", first)
	}
	if !slices.Equal(doc.Warnings, []string{"moved"}) {
		t.Errorf("warnings are %q", doc.Warnings)
	}
	odd := decode[packageDoc](t, good(t, s.Client(), s.URL()+"/v1/providers/acme/alpha/v2%20odd/download/"+thisPlatform()).body)
	good(t, s.Client(), odd.DownloadURL)
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	for _, path := range []string{
		"/", "/v1/providers/acme/beta/versions", "/v1/providers/acme/alpha", "/v1/modules/",
		"/v1/providers/acme/alpha/1.0.0/download/plan9/amd64", "/v1/providers/acme/alpha/1.0.1/download/linux/amd64",
		alphaFiles + "_darwin_arm64.zip", "/releases/acme/alpha/1.0.1/terraform-provider-alpha_1.0.1_SHA256SUMS",
	} {
		if r := get(t, s.Client(), s.URL()+path); r.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d, error %v; want 404", path, r.status, r.err)
		}
	}
}

func TestOnlyReadingIsAllowed(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	resp, err := s.Client().Post(s.URL()+alphaVersions, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("status %d, Allow %q", resp.StatusCode, resp.Header.Get("Allow"))
	}
}

func TestReleasesCanComeAndGo(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	before := good(t, s.Client(), s.URL()+alphaArchive)
	replacement := alpha
	replacement.Executable = []byte("replaced")
	for _, r := range []registrytest.Release{replacement, {Provider: "acme/alpha", Version: "2.0.0"}} {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	after := good(t, s.Client(), s.URL()+alphaArchive)
	if string(before.body) == string(after.body) || before.header.Get("ETag") == after.header.Get("ETag") {
		t.Error("the replaced archive or its validator is the old one")
	}
	s.Remove("acme/alpha", "1.0.0")
	if got := versionsOf(t, s.Client(), s.URL()+alphaVersions); !slices.Equal(got, []string{"2.0.0"}) {
		t.Errorf("versions are %q", got)
	}
	if r := get(t, s.Client(), s.URL()+alphaArchive); r.status != http.StatusNotFound {
		t.Errorf("the removed archive: status %d", r.status)
	}
}

func TestReleasesThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	broken := errors.New("broken")
	for name, r := range map[string]registrytest.Release{
		"no provider":    {Version: "1.0.0"},
		"one part":       {Provider: "alpha", Version: "1.0.0"},
		"empty host":     {Provider: "/acme/alpha", Version: "1.0.0"},
		"four parts":     {Provider: "a/b/c/d", Version: "1.0.0"},
		"no version":     {Provider: "acme/alpha"},
		"path version":   {Provider: "acme/alpha", Version: "../1"},
		"dots":           {Provider: "acme/alpha", Version: ".."},
		"platform":       {Provider: "acme/alpha", Version: "1.0.0", Platforms: []string{"linux"}},
		"nil key":        {Provider: "acme/alpha", Version: "1.0.0", ExtraKeys: []*registrytest.Signer{nil}},
		"nil files":      {Provider: "acme/alpha", Version: "1.0.0", Files: func(string) (fs.FS, error) { return nil, nil }},
		"dot":            {Provider: "./alpha", Version: "1.0.0"},
		"archive failed": {Provider: "acme/alpha", Version: "1.0.0", Archive: func(string) ([]byte, error) { return nil, broken }},
	} {
		err := s.Add(r)
		var e *registrytest.Error
		if !errors.As(err, &e) || e.Op != "add release" {
			t.Errorf("%s: error %v", name, err)
		}
		if name == "archive failed" && !errors.Is(err, broken) {
			t.Errorf("the cause of %v is lost", err)
		}
		if _, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{r}}); !errors.As(err, &e) {
			t.Errorf("%s: Start says %v", name, err)
		}
	}
}

func TestHostDecidesWhatIsVisible(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/alpha", Version: "1.0.0"},
		{Provider: "One.example.com/acme/alpha", Version: "1.1.0"},
		{Provider: "two.example.com/acme/alpha", Version: "1.2.0"},
	}})
	for name, tt := range map[string]struct {
		url  string
		want []string
	}{
		"unknown host":    {s.URL() + alphaVersions, []string{"1.0.0", "1.1.0", "1.2.0"}},
		"Host header":     {"https://one.example.com" + alphaVersions, []string{"1.0.0", "1.1.0"}},
		"host services":   {s.HostServices("TWO.example.com")["providers.v1"] + "acme/alpha/versions", []string{"1.0.0", "1.2.0"}},
		"some other host": {"https://registry.example.com" + alphaVersions, []string{"1.0.0"}},
	} {
		if got := versionsOf(t, s.Client(), tt.url); !slices.Equal(got, tt.want) {
			t.Errorf("%s: versions are %q, want %q", name, got, tt.want)
		}
	}
}

func TestTheReleaseOfTheHostItselfWins(t *testing.T) {
	t.Parallel()
	one := registrytest.Release{Provider: "one.example.com/acme/alpha", Version: "1.0.0", Platforms: []string{"linux_arm64"}}
	for name, releases := range map[string][]registrytest.Release{"first": {one, alpha}, "last": {alpha, one}} {
		s := registrytest.New(t, registrytest.Config{Releases: releases})
		doc := decode[versionsDoc](t, good(t, s.Client(), "https://one.example.com"+alphaVersions).body)
		if len(doc.Versions) != 1 || doc.Versions[0].Platforms[0].Arch != "arm64" {
			t.Errorf("added %s: got %+v", name, doc)
		}
	}
}

func TestURLsOfFiles(t *testing.T) {
	t.Parallel()
	relative := alpha
	relative.RelativeURLs = true
	for name, tt := range map[string]struct {
		cfg  registrytest.Config
		base string
		want string
	}{
		"absolute":       {registrytest.Config{Releases: []registrytest.Release{alpha}}, "https://registry.example.com", "https://registry.example.com" + alphaArchive},
		"relative":       {registrytest.Config{Releases: []registrytest.Release{relative}}, "https://registry.example.com", alphaArchive},
		"below a prefix": {registrytest.Config{Releases: []registrytest.Release{relative}}, "https://localhost/at/one.example.com", "/at/one.example.com" + alphaArchive},
		"other origin":   {registrytest.Config{Releases: []registrytest.Release{alpha}, FilesHost: "files.example.com"}, "https://registry.example.com", "https://files.example.com:PORT/at/registry.example.com" + alphaArchive},
	} {
		s := registrytest.New(t, tt.cfg)
		_, port, _ := strings.Cut(s.Host(), ":")
		base := strings.Replace(tt.base, "localhost", s.Host(), 1)
		doc := decode[packageDoc](t, good(t, s.Client(), base+alphaPackage).body)
		if want := strings.Replace(tt.want, "PORT", port, 1); doc.DownloadURL != want {
			t.Errorf("%s: the URL is %q, want %q", name, doc.DownloadURL, want)
		}
		if !strings.HasPrefix(doc.DownloadURL, "/") {
			good(t, s.Client(), doc.DownloadURL)
		}
	}
}

func TestTokenGuardsMetadataOnly(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, Token: "secret"})
	for _, path := range []string{alphaVersions, alphaPackage} {
		for _, authorization := range []string{"", "Bearer wrong", "Basic secret"} {
			if r := get(t, s.Client(), s.URL()+path, "Authorization", authorization); r.status != http.StatusUnauthorized {
				t.Errorf("%s with %q: status %d, want 401", path, authorization, r.status)
			}
		}
		good(t, s.Client(), s.URL()+path, "Authorization", "Bearer secret")
	}
	good(t, s.Client(), s.URL()+"/.well-known/terraform.json")
	good(t, s.Client(), s.URL()+alphaArchive)
}

func TestStrangersDoNotTrustTheServer(t *testing.T) {
	t.Parallel()
	s, other := registrytest.New(t, registrytest.Config{}), registrytest.New(t, registrytest.Config{})
	if r := get(t, other.Client(), s.URL()); r.err == nil {
		t.Error("a client that trusts another authority accepted the certificate")
	}
}

// A test that forgets a host does not ask the world's registries.
func TestTheClientStaysOnTheMachine(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	for _, url := range []string{"https://registry.opentofu.org/.well-known/terraform.json", "https://192.0.2.1/"} {
		if _, err := s.Client().Get(url); err == nil || !strings.Contains(err.Error(), "not this test registry") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Its own machine has several names.
func TestTheClientReachesTheMachine(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "localhost."} {
		good(t, s.Client(), strings.Replace(s.URL(), "127.0.0.1", host, 1)+"/.well-known/terraform.json")
	}
	for _, host := range []string{"localhost..", "localhost.evil.example.net", "."} {
		if _, err := s.Client().Get("https://" + host + "/"); err == nil {
			t.Errorf("%s is reached", host)
		}
	}
}

func TestHTTPVersions(t *testing.T) {
	t.Parallel()
	for http1, want := range map[bool]string{false: "HTTP/2.0", true: "HTTP/1.1"} {
		s := registrytest.New(t, registrytest.Config{HTTP1: http1})
		if r := good(t, s.Client(), s.URL()+"/.well-known/terraform.json"); r.proto != want {
			t.Errorf("HTTP1 %v: protocol is %s", http1, r.proto)
		}
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	whole := good(t, s.Client(), s.URL()+alphaArchive)
	etag := whole.header.Get("ETag")
	if !strings.HasPrefix(etag, `"`) {
		t.Fatalf("ETag %s is not a strong validator", etag)
	}
	part := get(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=100-", "If-Range", etag)
	if part.status != http.StatusPartialContent || string(part.body) != string(whole.body[100:]) {
		t.Errorf("status %d with %d bytes", part.status, len(part.body))
	}
	stale := get(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=100-", "If-Range", `"old"`)
	if stale.status != http.StatusOK || len(stale.body) != len(whole.body) {
		t.Errorf("after a change: status %d with %d bytes", stale.status, len(stale.body))
	}
}

func TestNoRanges(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, NoRanges: true})
	whole := good(t, s.Client(), s.URL()+alphaArchive)
	part := good(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=100-")
	if len(part.body) != len(whole.body) || part.header.Get("Accept-Ranges") != "" {
		t.Errorf("got %d of %d bytes, Accept-Ranges %q", len(part.body), len(whole.body), part.header.Get("Accept-Ranges"))
	}
}

func TestLatencyComesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Latency: 50 * time.Millisecond})
	start := time.Now()
	good(t, s.Client(), s.URL()+"/.well-known/terraform.json")
	if d := time.Since(start); d < 50*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
}

func TestBytesPerSecondIsForAConnectionsArchives(t *testing.T) {
	t.Parallel()
	r := alpha
	r.Archive = func(string) ([]byte, error) { return make([]byte, 20<<10), nil }
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{r}, BytesPerSecond: 100 << 10})
	client := s.Client()
	start := time.Now()
	done := make(chan response, 2)
	for range 2 { // over HTTP/2 both share one connection
		go func() { done <- get(t, client, s.URL()+alphaArchive) }()
	}
	for range 2 {
		if r := <-done; r.err != nil || len(r.body) != 20<<10 {
			t.Errorf("got %d bytes, error %v", len(r.body), r.err)
		}
	}
	connections := map[string]int{}
	for _, r := range s.Requests() {
		connections[r.RemoteAddr]++
	}
	want := 400 * time.Millisecond / time.Duration(len(connections))
	if d := time.Since(start); d < want*9/10 {
		t.Errorf("40 KiB at 100 KiB/s over %d connections took %v", len(connections), d)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]registrytest.Config{
		"latency": {Latency: time.Hour},
		"stalled": {Faults: []registrytest.Fault{{StallAt: 1000}}},
		"mute":    {Faults: []registrytest.Fault{{StallAt: -1}}},
		"delay":   {Faults: []registrytest.Fault{{Delay: time.Hour}}},
		"slow":    {BytesPerSecond: 1},
		"hook": {Faults: []registrytest.Fault{{Hook: func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return true
		}}}},
	} {
		cfg.Releases = []registrytest.Release{alpha}
		s := registrytest.New(t, cfg)
		done := make(chan response)
		go func() { done <- get(t, s.Client(), s.URL()+alphaArchive) }()
		for s.Count(registrytest.KindArchive) == 0 {
			time.Sleep(time.Millisecond)
		}
		start := time.Now()
		s.Close()
		s.Close() // again is no mistake
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s: Close took %v", name, d)
		}
		if r := <-done; r.err == nil {
			t.Errorf("%s: the request succeeded", name)
		}
	}
}

func TestClosedServerTakesNoBulk(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Dir: t.TempDir()})
	s.Close()
	var e *registrytest.Error
	if err := s.Add(registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 1}); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	client, done := s.Client(), make(chan struct{})
	for i := range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 5 {
				_ = s.Add(registrytest.Release{Provider: "acme/beta", Version: string(rune('0' + i))})
				_ = s.AddFault(registrytest.Fault{Provider: "acme/gamma", Status: 500})
				get(t, client, s.URL()+alphaArchive)
				s.Requests()
				s.CLIConfig()
				s.ClearFaults()
				s.Remove("acme/beta", "0")
			}
		}()
	}
	for range 8 {
		<-done
	}
	if got := s.Count(""); got != 40 {
		t.Errorf("%d requests are in the log", got)
	}
}

func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	good(t, s.Client(), s.URL()+alphaPackage, "Authorization", "Bearer x", "User-Agent", "me")
	get(t, s.Client(), s.URL()+alphaArchive, "Range", "bytes=0-9", "If-Range", `"old"`)
	get(t, s.Client(), "https://registry.example.com/nowhere")
	log := s.Requests()
	if len(log) != 3 {
		t.Fatalf("%d requests", len(log))
	}
	pkg, archive, other := log[0], log[1], log[2]
	if pkg.Kind != registrytest.KindPackage || pkg.Method != "GET" || pkg.Path != alphaPackage || pkg.Protocol != "HTTP/2.0" ||
		pkg.Provider != "acme/alpha" || pkg.Version != "1.0.0" || pkg.Platform != "linux_amd64" ||
		pkg.Authorization != "Bearer x" || pkg.UserAgent != "me" || pkg.Status != 200 || pkg.Start.IsZero() || pkg.Host != s.Host() {
		t.Errorf("package: %+v", pkg)
	}
	if archive.Kind != registrytest.KindArchive || archive.Range != "bytes=0-9" || archive.IfRange != `"old"` || archive.Bytes < 1000 {
		t.Errorf("archive: %+v", archive)
	}
	if archive.RemoteAddr == pkg.RemoteAddr {
		t.Error("two clients share a connection")
	}
	if other.Kind != registrytest.KindOther || other.Status != 404 || other.Host != "registry.example.com" || other.Provider != "" {
		t.Errorf("other: %+v", other)
	}
	s.ResetRequests()
	if s.Count("") != 0 {
		t.Error("the log is not empty")
	}
}

// brokenTB notes a failure instead of ending the test.
type brokenTB struct{ failure string }

func (*brokenTB) Helper()                          {}
func (b *brokenTB) Fatalf(format string, _ ...any) { b.failure = format }
func (*brokenTB) Cleanup(func())                   {}

func TestNewFailsTheTest(t *testing.T) {
	t.Parallel()
	tb := new(brokenTB)
	registrytest.New(tb, registrytest.Config{Releases: []registrytest.Release{{}}})
	if tb.failure == "" {
		t.Error("nothing was reported")
	}
}

func TestErrorsSayWhatFailedWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{})
	for want, err := range map[string]error{
		`registrytest: add release alpha 1.0.0: provider is "alpha"; it must be namespace/type or host/namespace/type`: s.Add(registrytest.Release{Provider: "alpha", Version: "1.0.0"}),
		`registrytest: add fault: status is 42; it must be between 200 and 599`:                                        s.AddFault(registrytest.Fault{Status: 42}),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
