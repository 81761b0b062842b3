package interop_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

func TestVersionsOfAnOCIRegistry(t *testing.T) {
	t.Parallel()
	versions := []string{"0.9.0", "1.0.0", "1.0.0-rc.1", built}
	w := publishedRocket(t, versions...)
	for name, transport := range map[string]func(http.RoundTripper) http.RoundTripper{
		"in one page": func(inner http.RoundTripper) http.RoundTripper { return inner },
		"in pages":    func(inner http.RoundTripper) http.RoundTripper { return smallPages{inner} },
	} {
		w.forget(t)
		config := w.config(t, w.oci.address)
		config.Client.Transport = transport(config.Client.Transport)
		source, err := ocimirror.New(config)
		if err != nil {
			t.Fatal(err)
		}
		listing, err := source.Versions(t.Context(), sources.MustParseProvider(rocket))
		if err != nil || len(listing.Warnings) != 0 {
			t.Fatal(err, listing.Warnings)
		}
		var got []string
		for _, v := range listing.Versions {
			got = append(got, v.Version.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, versions) {
			t.Errorf("%s: versions are %q, want %q", name, got, versions)
		}
		if pages := len(w.oci.successful(t, "GET", "/tags/list")); name == "in pages" && pages < 3 {
			t.Errorf("there were %d pages, so nothing is shown about them", pages)
		}
	}
	w.checkOriginNotAsked(t)
}

// smallPages asks for a few tags at a time, where nobody asks for a number.
type smallPages struct{ http.RoundTripper }

func (s smallPages) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/tags/list") && req.URL.RawQuery == "" {
		req = req.Clone(req.Context())
		req.URL.RawQuery = "n=3"
	}
	return s.RoundTripper.RoundTrip(req)
}
