package registrytest_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

type mirrorIndexDoc struct{ Versions map[string]struct{} }

type mirrorVersionDoc struct {
	Archives map[string]struct {
		URL    string
		Hashes []string
	}
}

// alphaMirror is where the network mirror has acme/alpha of a host, below MirrorURL.
const alphaMirror = "registry.example.com/acme/alpha/"

func mirrored(t *testing.T, s *registrytest.Server, url string) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(decode[mirrorIndexDoc](t, good(t, s.Client(), url).body).Versions))
}

// mirrorVersion returns the document of acme/alpha 1.0.0, and its address.
func mirrorVersion(t *testing.T, s *registrytest.Server) (doc mirrorVersionDoc, address *url.URL) {
	t.Helper()
	address, err := url.Parse(s.MirrorURL() + alphaMirror + "1.0.0.json")
	if err != nil {
		t.Fatal(err)
	}
	return decode[mirrorVersionDoc](t, good(t, s.Client(), address.String()).body), address
}

func TestMirrorOffersAllThatTheProtocolNeeds(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha, {Provider: "acme/alpha", Version: "1.1.0"}}})
	index := good(t, s.Client(), s.MirrorURL()+alphaMirror+"index.json")
	if got, want := string(index.body), `{"versions":{"1.0.0":{},"1.1.0":{}}}`; got != want {
		t.Errorf("the index is %s, want %s", got, want)
	}
	doc, address := mirrorVersion(t, s)
	if got := slices.Sorted(maps.Keys(doc.Archives)); !slices.Equal(got, alpha.Platforms) {
		t.Errorf("platforms are %q", got)
	}
	linux := doc.Archives["linux_amd64"]
	if linux.URL != "terraform-provider-alpha_1.0.0_linux_amd64.zip" {
		t.Errorf("the URL is %q", linux.URL)
	}
	archive := good(t, s.Client(), address.ResolveReference(&url.URL{Path: linux.URL}).String())
	if string(archive.body) != string(good(t, s.Client(), s.URL()+alphaArchive).body) {
		t.Error("the mirror's archive is not the registry's")
	}
	for media, r := range map[string]response{"application/json": index, "application/zip": archive} {
		if got := r.header.Get("Content-Type"); got != media {
			t.Errorf("the media type is %q, want %q", got, media)
		}
	}
}

func TestMirrorHashesAreTrueUnlessAskedOtherwise(t *testing.T) {
	t.Parallel()
	reference := serveAlpha(t, func(r *registrytest.Release) { r.Packages = true })
	truth, archive := packageOf(t, reference)
	h1 := truth.Packages["linux_amd64"].Hashes[1]
	zh := fmt.Sprintf("zh:%x", sha256.Sum256(archive))
	for name, tt := range map[string]struct{ schemes, want []string }{
		"default": {nil, []string{h1, zh}},
		"h1 only": {[]string{"h1"}, []string{h1}},
		"zh only": {[]string{"zh"}, []string{zh}},
		"none":    {[]string{}, nil},
		"unknown": {[]string{"h9"}, []string{"h9" + strings.TrimPrefix(zh, "zh")}},
		"sorted":  {[]string{"zh", "h1", "h1:made+up="}, slices.Sorted(slices.Values([]string{h1, "h1:made+up=", zh}))},
	} {
		s := serveAlpha(t, func(r *registrytest.Release) { r.MirrorHashes = tt.schemes })
		doc, _ := mirrorVersion(t, s)
		if got := doc.Archives["linux_amd64"].Hashes; !slices.Equal(got, tt.want) {
			t.Errorf("%s: hashes are %q, want %q", name, got, tt.want)
		}
	}
}

func TestMirrorTellsNoContentHashOfWhatIsNoArchive(t *testing.T) {
	t.Parallel()
	s := serveAlpha(t, func(r *registrytest.Release) {
		r.Archive = func(string) ([]byte, error) { return []byte("no zip"), nil }
	})
	doc, _ := mirrorVersion(t, s)
	if got := doc.Archives["linux_amd64"].Hashes; len(got) != 1 || !strings.HasPrefix(got[0], "zh:") {
		t.Errorf("hashes are %q", got)
	}
}

func TestMirrorHostIsTheOneInThePath(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/alpha", Version: "1.0.0"},
		{Provider: "Bücher.example/acme/alpha", Version: "1.1.0"},
		{Provider: "registry.example.com:8443/acme/alpha", Version: "1.2.0"},
	}})
	for host, want := range map[string][]string{
		"anything":                     {"1.0.0"},
		"b%C3%BCcher.example":          {"1.0.0", "1.1.0"},
		"B%C3%9CCHER.example:443":      {"1.0.0", "1.1.0"},
		"xn--bcher-kva.example":        {"1.0.0", "1.1.0"},
		"registry.example.com":         {"1.0.0"},
		"registry.example.com:8443":    {"1.0.0", "1.2.0"},
		"registry.example.com%3A08443": {"1.0.0", "1.2.0"},
	} {
		for _, base := range []string{s.MirrorURL(), "https://bücher.example.com/mirror/"} { // the Host header does not count
			if got := mirrored(t, s, base+host+"/acme/alpha/index.json"); !slices.Equal(got, want) {
				t.Errorf("%s%s: versions are %q, want %q", base, host, got, want)
			}
		}
	}
}

func TestMirrorDoesNotHave(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		alpha, {Provider: "one.example.com/acme/beta", Version: "1.0.0"},
	}})
	for _, path := range []string{
		"", "registry.example.com/acme/alpha", alphaMirror, alphaMirror + "1.0.0", alphaMirror + "1.0.1.json", alphaMirror + "x/index.json",
		alphaMirror + "terraform-provider-alpha_1.0.0_plan9_amd64.zip", alphaMirror + "terraform-provider-alpha_1.0.0_SHA256SUMS",
		alphaMirror + "linux_amd64.zip", "registry.example.com/acme/beta/index.json", "registry.example.com/acme/gamma/index.json",
	} {
		if r := get(t, s.Client(), s.MirrorURL()+path); r.status != http.StatusNotFound {
			t.Errorf("%s: status %d, error %v; want 404", path, r.status, r.err)
		}
	}
}

func TestMirrorURLsOfArchives(t *testing.T) {
	t.Parallel()
	relative := alpha
	relative.RelativeURLs = true
	const name = "terraform-provider-alpha_1.0.0_linux_amd64.zip"
	for title, tt := range map[string]struct {
		release registrytest.Release
		host    string
		want    string
	}{
		"default":      {alpha, "", name},
		"other origin": {alpha, "files.example.com", "https://files.example.com:PORT/mirror/" + alphaMirror + name},
		"same origin":  {alpha, "127.0.0.1", "https://127.0.0.1:PORT/mirror/" + alphaMirror + name},
		"relative":     {relative, "files.example.com", name},
	} {
		s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{tt.release}, FilesHost: tt.host})
		_, port, _ := strings.Cut(s.Host(), ":")
		doc, address := mirrorVersion(t, s)
		got := doc.Archives["linux_amd64"].URL
		if want := strings.Replace(tt.want, "PORT", port, 1); got != want {
			t.Errorf("%s: the URL is %q, want %q", title, got, want)
		}
		archive, err := address.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		good(t, s.Client(), archive.String())
	}
}

func TestMirrorServesOddVersions(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/alpha", Version: "v2_odd: 100%", Platforms: []string{"linux_amd64"}},
	}})
	address, err := url.Parse(s.MirrorURL() + alphaMirror + url.PathEscape("v2_odd: 100%.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc := decode[mirrorVersionDoc](t, good(t, s.Client(), address.String()).body)
	archive, err := address.Parse(doc.Archives["linux_amd64"].URL)
	if err != nil {
		t.Fatal(err)
	}
	good(t, s.Client(), archive.String())
}

func TestMirrorTokenGuardsTheDocumentsOnly(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, Token: "registry", MirrorToken: "mirror"})
	for _, name := range []string{"index.json", "1.0.0.json"} {
		for _, authorization := range []string{"", "Bearer registry", "Basic mirror"} {
			r := get(t, s.Client(), s.MirrorURL()+alphaMirror+name, "Authorization", authorization)
			if r.status != http.StatusUnauthorized {
				t.Errorf("%s with %q: status %d, want 401", name, authorization, r.status)
			}
		}
		good(t, s.Client(), s.MirrorURL()+alphaMirror+name, "Authorization", "Bearer mirror")
	}
	good(t, s.Client(), s.MirrorURL()+alphaMirror+"terraform-provider-alpha_1.0.0_linux_amd64.zip")
	if r := get(t, s.Client(), s.URL()+alphaVersions, "Authorization", "Bearer mirror"); r.status != http.StatusUnauthorized {
		t.Errorf("the mirror's token opens the registry: status %d", r.status)
	}
}

func TestMirrorRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	for name, want := range map[string]registrytest.Request{
		"index.json": {Kind: registrytest.KindMirrorIndex},
		"1.0.0.json": {Kind: registrytest.KindMirrorVersion, Version: "1.0.0"},
		"terraform-provider-alpha_1.0.0_linux_amd64.zip": {Kind: registrytest.KindArchive, Version: "1.0.0"},
	} {
		s.ResetRequests()
		good(t, s.Client(), s.MirrorURL()+alphaMirror+name)
		got := s.Requests()
		if len(got) != 1 || got[0].Kind != want.Kind || got[0].Provider != "acme/alpha" || got[0].Version != want.Version {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestFaultsReachTheMirror(t *testing.T) {
	t.Parallel()
	for kind, path := range map[registrytest.Kind]string{
		registrytest.KindMirrorIndex:   "index.json",
		registrytest.KindMirrorVersion: "1.0.0.json",
	} {
		fault := registrytest.Fault{Kind: kind, Provider: "registry.example.com/acme/alpha", Body: []byte("{")}
		s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, Faults: []registrytest.Fault{fault}})
		r := good(t, s.Client(), s.MirrorURL()+alphaMirror+path)
		if string(r.body) != "{" || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %q as %q", kind, r.body, r.header.Get("Content-Type"))
		}
		if r := good(t, s.Client(), s.MirrorURL()+"other.example.com/acme/alpha/"+path); string(r.body) == "{" {
			t.Errorf("%s: another host is affected, too", kind)
		}
	}
	wrong := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}, Faults: []registrytest.Fault{{WrongHash: true}}})
	doc, _ := mirrorVersion(t, wrong)
	archive := good(t, wrong.Client(), wrong.MirrorURL()+alphaMirror+"terraform-provider-alpha_1.0.0_linux_amd64.zip")
	if slices.Contains(doc.Archives["linux_amd64"].Hashes, fmt.Sprintf("zh:%x", sha256.Sum256(archive.body))) {
		t.Error("the archive has its hash in spite of WrongHash")
	}
}

func TestMirrorFollowsTheCatalog(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha, {Provider: "acme/alpha", Version: "2.0.0"}}})
	s.Remove("acme/alpha", "1.0.0")
	if got := mirrored(t, s, s.MirrorURL()+alphaMirror+"index.json"); !slices.Equal(got, []string{"2.0.0"}) {
		t.Errorf("versions are %q", got)
	}
	if r := get(t, s.Client(), s.MirrorURL()+alphaMirror+"1.0.0.json"); r.status != http.StatusNotFound {
		t.Errorf("the removed version: status %d", r.status)
	}
}
