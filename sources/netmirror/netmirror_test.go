package netmirror_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

var (
	rocket = sources.MustParseProvider("registry.example.com/acme/rocket")
	linux  = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin = sources.Platform{OS: "darwin", Arch: "arm64"}
	v1     = sources.MustParseVersion("1.0.0")
)

func released(version string) registrytest.Release {
	return registrytest.Release{Provider: "acme/rocket", Version: version, Platforms: []string{linux.String(), darwin.String()}}
}

func start(t *testing.T, cfg registrytest.Config) *registrytest.Server {
	t.Helper()
	if cfg.Releases == nil {
		cfg.Releases = []registrytest.Release{released("1.0.0"), released("1.1.0-rc1")}
	}
	return registrytest.New(t, cfg)
}

// connect returns the source for a server, edited by whoever wants something special.
func connect(t *testing.T, s *registrytest.Server, edits ...func(*netmirror.Config)) *netmirror.Source {
	t.Helper()
	cfg := netmirror.Config{URL: s.MirrorURL(), Client: s.Client(), Backoff: time.Millisecond}
	for _, edit := range edits {
		edit(&cfg)
	}
	source, err := netmirror.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func fault(t *testing.T, s *registrytest.Server, f registrytest.Fault) {
	t.Helper()
	if err := s.AddFault(f); err != nil {
		t.Fatal(err)
	}
}

// body makes the JSON documents of a kind something else.
func body(kind registrytest.Kind, text string) registrytest.Fault {
	return registrytest.Fault{Kind: kind, Body: []byte(text), ContentType: "application/json"}
}

func claims(t *testing.T, s *registrytest.Server, edits ...func(*netmirror.Config)) hashing.Claims {
	t.Helper()
	pkg, err := connect(t, s, edits...).Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if pkg.Claims == nil {
		return hashing.Claims{}
	}
	got, err := pkg.Claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func fetch(ctx context.Context, pkg *sources.Package) ([]byte, error) {
	r, _, err := pkg.Content.Archive.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func TestItKeepsTheRules(t *testing.T) {
	t.Parallel()
	const token = "mirror-secret"
	s := start(t, registrytest.Config{MirrorToken: token})
	host := sources.MustParseHost(s.Host())
	fixture := sourcetest.Fixture{Secrets: []string{token}}
	for _, v := range []string{"1.0.0", "1.1.0-rc1"} {
		for _, on := range []sources.Platform{linux, darwin} {
			fixture.Packages = append(fixture.Packages, sourcetest.Package{Provider: rocket, Version: sources.MustParseVersion(v), Platform: on})
		}
	}
	source := connect(t, s, func(c *netmirror.Config) { c.Credentials = sources.StaticCredentials{host: token} })
	if err := sourcetest.TestSource(t.Context(), source, fixture); err != nil {
		t.Error(err)
	}
}

func TestHashesAreReported(t *testing.T) {
	t.Parallel()
	schemes := func(claims []hashing.Claim) []string {
		var all []string
		for _, c := range claims {
			if c.Authority != hashing.Reported {
				t.Errorf("claim %v is %v", c.Hash, c.Authority)
			}
			all = append(all, c.Platform+" "+c.Hash.Scheme())
		}
		slices.Sort(all)
		return all
	}
	tests := map[string]struct {
		hashes []string
		all    bool
		own    []string
		others []string
	}{
		"both":    {hashes: []string{"h1", "zh"}, own: []string{"linux_amd64 h1", "linux_amd64 zh"}},
		"one":     {hashes: []string{"zh"}, own: []string{"linux_amd64 zh"}},
		"none":    {hashes: []string{}},
		"unknown": {hashes: []string{"x9"}, own: []string{"linux_amd64 x9"}},
		"all":     {hashes: []string{"h1"}, all: true, own: []string{"linux_amd64 h1"}, others: []string{"darwin_arm64 h1"}},
	}
	for name, test := range tests {
		r := released("1.0.0")
		r.MirrorHashes = test.hashes
		s := start(t, registrytest.Config{Releases: []registrytest.Release{r}})
		got := claims(t, s, func(c *netmirror.Config) { c.TrustAllHashes = test.all })
		if own, others := schemes(got.Package), schemes(got.Others); !slices.Equal(own, test.own) || !slices.Equal(others, test.others) {
			t.Errorf("%s: claims are %v and %v, want %v and %v", name, own, others, test.own, test.others)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	base := strings.TrimSuffix(s.MirrorURL(), "/")
	for _, u := range []string{base + "/", base + "/ignored", base + "/?query=dropped", base + "/#fragment"} {
		source := connect(t, s, func(c *netmirror.Config) { c.URL = u })
		if _, err := source.Versions(t.Context(), rocket); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if _, err := connect(t, s, func(c *netmirror.Config) { c.URL = base }).Versions(t.Context(), rocket); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("without its slash the URL loses its last segment; error is %v", err)
	}
}

func TestImpossibleURLs(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "mirror.example.com", "http://mirror.example.com/", "ftp://mirror.example.com/", "https:///", "https://user:secret@mirror.example.com/", ":%zz"} {
		_, err := netmirror.New(netmirror.Config{URL: u})
		var bad *netmirror.URLError
		if !errors.As(err, &bad) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error is %v", u, err)
		}
	}
	if _, err := netmirror.New(netmirror.Config{URL: "http://mirror.example.com/", PlainHTTPInsecure: true}); err != nil {
		t.Error(err)
	}
}

func TestHostsWithPortsAndOtherAlphabets(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"registry.example.com:8443", "bücher.example.com", "127.0.0.1:1234"} {
		s := start(t, registrytest.Config{})
		if _, err := connect(t, s).Versions(t.Context(), sources.MustParseProvider(host+"/acme/rocket")); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// terraform providers mirror makes directories with Unicode names, which a static file server serves as they are.
func TestAMirrorThatSpellsHostsInUnicode(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, registrytest.Fault{Path: "/mirror/xn--bcher-kva.example.com/*/*/*", Status: http.StatusNotFound})
	source := connect(t, s)
	p := sources.MustParseProvider("bücher.example.com/acme/rocket")
	if _, err := source.Package(t.Context(), p, v1, linux); err != nil {
		t.Error(err)
	}
}

func TestAbsence(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	source := connect(t, s)
	if _, err := source.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/omega")); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("an unknown provider: %v", err)
	}
	if _, err := source.Package(t.Context(), rocket, sources.MustParseVersion("9.0.0"), linux); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("an unknown version: %v", err)
	}
	_, err := source.Package(t.Context(), rocket, v1, sources.Platform{OS: "plan9", Arch: "mips"})
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || !slices.Equal(platform.Available, []sources.Platform{darwin, linux}) {
		t.Errorf("an unknown platform: %v", err)
	}
	fault(t, s, registrytest.Fault{Kind: registrytest.KindMirrorVersion, Status: http.StatusNotFound})
	if _, err := source.Package(t.Context(), rocket, v1, linux); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("a version in the index without a document: %v", err)
	}
}

func TestDocumentsThatAreNotWhatTheyShould(t *testing.T) {
	t.Parallel()
	const index, version = registrytest.KindMirrorIndex, registrytest.KindMirrorVersion
	tests := []struct {
		name  string
		fault registrytest.Fault
		want  error
	}{
		{"html", registrytest.Fault{Kind: index, ContentType: "text/html"}, sources.ErrMalformed},
		{"no media type", registrytest.Fault{Kind: version, ContentType: "nonsense"}, sources.ErrMalformed},
		{"not JSON", body(index, "{"), sources.ErrMalformed},
		{"an array", body(index, "[]"), sources.ErrMalformed},
		{"null", body(version, "null"), sources.ErrMalformed},
		{"null archive", body(version, `{"archives":{"linux_amd64":null}}`), sources.ErrMalformed},
		{"no url", body(version, `{"archives":{"linux_amd64":{"hashes":[]}}}`), sources.ErrMalformed},
		{"bad url", body(version, `{"archives":{"linux_amd64":{"url":"://"}}}`), sources.ErrMalformed},
		{"bad hash", body(version, `{"archives":{"linux_amd64":{"url":"x.zip","hashes":["nonsense"]}}}`), sources.ErrMalformed},
		{"null hash", body(version, `{"archives":{"linux_amd64":{"url":"x.zip","hashes":[null]}}}`), sources.ErrMalformed},
		{"no archives", body(version, `{"archives":null}`), sources.ErrNotFound},
		{"endless", body(index, `{"versions":{}`+strings.Repeat(" ", 20<<20)+`}`), sources.ErrTooLarge},
		{"refused", registrytest.Fault{Kind: index, Status: 403}, sources.ErrUnauthorized},
		{"failing", registrytest.Fault{Kind: version, Status: 500}, sources.ErrUnavailable},
		{"looping", registrytest.Fault{Kind: index, RedirectLoop: true}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, registrytest.Config{})
			fault(t, s, test.fault)
			source := connect(t, s)
			_, err := source.Versions(t.Context(), rocket)
			if err == nil {
				_, err = source.Package(t.Context(), rocket, v1, linux)
			}
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			if test.want != sources.ErrNotFound && errors.Is(err, sources.ErrNotFound) {
				t.Errorf("%v counts as absence", err)
			}
		})
	}
}

func TestVersionsThatAreNone(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, body(registrytest.KindMirrorIndex, `{"versions":{"1.0":{},"1.0.0":null,"v2.0.0":{},"99999999999999999999.0.0":{},"latest":{}}}`))
	listing, err := connect(t, s).Versions(t.Context(), rocket)
	if err != nil || len(listing.Versions) != 1 || listing.Versions[0].Version != v1 || len(listing.Warnings) != 3 {
		t.Errorf("listing %+v, error %v", listing, err)
	}
}

// A mirror that spells a version its own way is asked in that spelling, also when the version is known beforehand.
func TestSpellingsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{Releases: []registrytest.Release{released("1.0")}})
	for range 2 {
		if _, err := connect(t, s).Package(t.Context(), rocket, v1, linux); err != nil {
			t.Error(err)
		}
	}
}

func TestAPassingFaultIsSurvived(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindMirrorIndex, Times: 1, Status: 503})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindMirrorVersion, Times: 1, Status: 429, RetryAfter: "1"})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindArchive, Times: 1, CutAt: 1000})
	source := connect(t, s)
	if _, err := source.Versions(t.Context(), rocket); err != nil {
		t.Error(err)
	}
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), pkg); err != nil {
		t.Error(err)
	}
}
