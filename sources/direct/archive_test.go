package direct_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestLocationHidesTheQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: set("download_url", "https://cdn.example.com/a.zip?sig=hidden")})
	pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err != nil || pkg.Location != "https://cdn.example.com/a.zip?…" {
		t.Errorf("package = %+v, %v", pkg, err)
	}
}

// Relative URLs are relative to where the document was in the end.
func TestRelativeURLsAfterARedirect(t *testing.T) {
	t.Parallel()
	s := start(t)
	const elsewhere = "/moved/to/document.json"
	var document []byte
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Times: 1, Edit: func(body []byte) []byte {
		document = set("download_url", "archive.zip")(body)
		return body
	}})
	source := connect(s, nil)
	p := provider(t, s, "acme/alpha")
	if _, err := source.Package(t.Context(), p, v1, linux); err != nil {
		t.Fatal(err)
	}
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Redirect: elsewhere})
	misbehave(t, s, registrytest.Fault{Path: elsewhere, Body: document, ContentType: "application/json"})
	pkg, err := source.Package(t.Context(), p, v1, linux)
	if err != nil || pkg.Location != s.URL()+"/moved/to/archive.zip" {
		t.Errorf("package = %+v, %v", pkg, err)
	}
}

func TestArchiveThatBreaks(t *testing.T) {
	t.Parallel()
	release := alpha()
	release.Executable = make([]byte, 1<<20)
	release.Archive = func(string) ([]byte, error) { return make([]byte, 100_000), nil }
	s := start(t, release)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindArchive, CutAt: 10_000, Times: 3})
	pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fetch(t.Context(), pkg); err != nil || len(data) != 100_000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if n := s.Count(registrytest.KindArchive); n != 4 {
		t.Errorf("%d requests, want one and three more", n)
	}
}

func TestArchiveThatStalls(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindArchive, StallAt: -1})
	source := connect(s, func(c *direct.Config) { c.Stall, c.ArchiveRetries = 50*time.Millisecond, -1 })
	pkg, err := source.Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), pkg); !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("error = %v, want ErrUnavailable", err)
	}
}

func TestArchiveURLsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"http://cdn.example.com/a.zip", "file:///a.zip", "https://u:hidden@cdn.example.com/a.zip"} {
		s := start(t)
		misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: set("download_url", location)})
		pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
		if err == nil {
			_, err = fetch(t.Context(), pkg)
		}
		if err == nil || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: error = %v", location, err)
		}
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	s := start(t)
	source := connect(s, func(c *direct.Config) { c.UserAgent = "wrapper/1.0" })
	pkg, err := source.Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pkg.Claims(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), pkg); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests() {
		if r.UserAgent != "wrapper/1.0" {
			t.Errorf("%s: User-Agent %q", r.Kind, r.UserAgent)
		}
	}
}
