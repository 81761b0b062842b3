package ocimirror_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// listed returns the versions that a source lists, sorted.
func listed(t *testing.T, source sources.Source) ([]string, []string) {
	t.Helper()
	listing, err := source.Versions(t.Context(), rocket)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, a := range listing.Versions {
		versions = append(versions, a.Version.String())
	}
	return versions, listing.Warnings
}

// tags makes the list of tags something else.
func tags(names ...string) registrytest.Fault {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return registrytest.Fault{
		Kind: registrytest.KindOCITags, ContentType: "application/json",
		Body: []byte(`{"name":"mirror/acme/rocket","tags":[` + strings.Join(quoted, ",") + `]}`),
	}
}

func TestTagsAreVersions(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, tags("1.0.0", "1.1.0-rc1_build.5", "1.2", "latest", "sha256-"+strings.Repeat("0", 64), "2.0.0_a_b", "main", "", "../x",
		"3.0.0+x", "purveyor.1.0.0.linux_amd64", "1.0.0-"+strings.Repeat("x", 200)))
	versions, warnings := listed(t, connect(t, s))
	if want := []string{"1.0.0", "1.1.0-rc1+build.5", "1.2.0"}; !slices.Equal(versions, want) {
		t.Errorf("versions are %q, want %q", versions, want)
	}
	if len(warnings) != 2 || !strings.Contains(warnings[0], "2.0.0_a_b") || !strings.Contains(warnings[1], "3.0.0+x") {
		t.Errorf("warnings are %q", warnings)
	}
}

func TestTagsThatOnlyLookLikeVersions(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, tags("v1.0.0", "99999999999999999999.0.0", "1.0.0.0", "0x1", "1.0.0-", "2.0.0"))
	versions, warnings := listed(t, connect(t, s))
	if want := []string{"1.0.0", "2.0.0"}; !slices.Equal(versions, want) {
		t.Errorf("versions are %q, want %q", versions, want)
	}
	if len(warnings) != 4 || !strings.Contains(warnings[0], `"v1.0.0"`) {
		t.Errorf("warnings are %q", warnings)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	names := make([]string, 5_000)
	for i := range names {
		names[i] = fmt.Sprintf("v%d.0.0", i)
	}
	fault(t, s, tags(names...))
	if versions, warnings := listed(t, connect(t, s)); len(versions) != 0 || len(warnings) > 50 {
		t.Errorf("%d versions, %d warnings", len(versions), len(warnings))
	}
}

func TestNullTags(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"tags":null}`, `{}`, `{"tags":[null]}`} {
		s := start(t, registrytest.Config{})
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Body: []byte(body)})
		if versions, warnings := listed(t, connect(t, s)); len(versions)+len(warnings) != 0 {
			t.Errorf("%s: %v, %v", body, versions, warnings)
		}
	}
}

func TestListsComeInPages(t *testing.T) {
	t.Parallel()
	cfg := registrytest.Config{OCI: registrytest.OCI{PageSize: 3}}
	for i := range 10 {
		cfg.Releases = append(cfg.Releases, released(fmt.Sprintf("1.%d.0", i)))
	}
	s := start(t, cfg)
	if versions, _ := listed(t, connect(t, s)); len(versions) != 10 || versions[9] != "1.9.0" {
		t.Errorf("versions are %q", versions)
	}
	if n := s.Count(registrytest.KindOCITags); n != 4 {
		t.Errorf("%d pages", n)
	}
}

// A version that is tagged in its own way is fetched by that tag, also when it is known beforehand; if it is tagged
// twice, by the canonical tag.
func TestSpellingsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{Releases: []registrytest.Release{released("1.0")}})
	for range 2 {
		if _, err := describe(t, connect(t, s)); err != nil {
			t.Error(err)
		}
	}
	if err := s.Add(released("1.0.0")); err != nil {
		t.Fatal(err)
	}
	for _, listFirst := range []bool{false, true} {
		s.ResetRequests()
		source := connect(t, s)
		if versions, _ := listed(t, source); listFirst && !slices.Equal(versions, []string{"1.0.0"}) {
			t.Errorf("versions are %q", versions)
		}
		if _, err := describe(t, source); err != nil {
			t.Error(err)
		}
		for _, r := range s.Requests() {
			if strings.HasSuffix(r.Path, "/manifests/1.0") {
				t.Errorf("the other tag was asked for")
			}
		}
	}
}

func TestTheMostTellingSpellingCounts(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{Releases: []registrytest.Release{released("1.0")}})
	fault(t, s, tags("1", "1.0", "01"))
	source := connect(t, s)
	if versions, _ := listed(t, source); !slices.Equal(versions, []string{"1.0.0"}) {
		t.Errorf("versions are %q", versions)
	}
	if _, err := describe(t, source); err != nil {
		t.Error(err)
	}
}

func TestListsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for size, pages := range map[int]int{1000: ocimirror.MaxTags/1000 + 1, 1: ocimirror.MaxTagPages} {
		if testing.Short() && size == 1 {
			continue // takes a while
		}
		s := start(t, registrytest.Config{OCI: registrytest.OCI{PageSize: size}})
		fault(t, s, registrytest.Fault{EndlessTags: true})
		_, err := connect(t, s).Versions(t.Context(), rocket)
		if !errors.Is(err, sources.ErrTooLarge) || !strings.Contains(err.Error(), repositoryOf) {
			t.Errorf("error is %v", err)
		}
		if n := s.Count(registrytest.KindOCITags); n != pages {
			t.Errorf("%d pages of %d tags, want %d", n, size, pages)
		}
	}
}

func TestLinksThatLeadNowhereGood(t *testing.T) {
	t.Parallel()
	other := start(t, registrytest.Config{})
	for name, test := range map[string]struct {
		link string
		want error
	}{
		"the same page":    {`</v2/mirror/acme/rocket/tags/list>; rel="next"`, sources.ErrTooLarge},
		"another host":     {"<" + other.URL() + `/v2/mirror/acme/rocket/tags/list>; rel="next"`, sources.ErrMalformed},
		"plain http":       {`<http://127.0.0.1/v2/mirror/acme/rocket/tags/list>; rel="next"`, sources.ErrMalformed},
		"another scheme":   {`<file:///etc/passwd>; rel="next"`, sources.ErrMalformed},
		"without a scheme": {`<//evil.example/v2/>; rel="next"`, sources.ErrMalformed},
		"no URL":           {`<https://%zz>; rel="next"`, sources.ErrMalformed},
		"a long one":       {`</v2/?` + strings.Repeat("x", 10_000) + `>; rel="next"`, sources.ErrMalformed},
	} {
		s := start(t, registrytest.Config{})
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Header: map[string]string{"Link": test.link}})
		_, err := connect(t, s).Versions(t.Context(), rocket)
		if !errors.Is(err, test.want) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if n := s.Count(""); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
	if n := other.Count(""); n != 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

func TestPagesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault registrytest.Fault
		want  error
	}{
		"no JSON":  {registrytest.Fault{Body: []byte("<html>")}, sources.ErrMalformed},
		"an array": {registrytest.Fault{Body: []byte("[]")}, sources.ErrMalformed},
		"null":     {registrytest.Fault{Body: []byte("null")}, sources.ErrMalformed},
		"numbers":  {registrytest.Fault{Body: []byte(`{"tags":[1]}`)}, sources.ErrMalformed},
		"endless":  {registrytest.Fault{Body: []byte(`{"tags":[]` + strings.Repeat(" ", 5<<20) + `}`)}, sources.ErrTooLarge},
		"refused":  {registrytest.Fault{Status: http.StatusForbidden}, sources.ErrUnauthorized},
		"failing":  {registrytest.Fault{Status: http.StatusInternalServerError}, sources.ErrUnavailable},
		"looping":  {registrytest.Fault{RedirectLoop: true}, nil},
	} {
		s := start(t, registrytest.Config{})
		test.fault.Kind = registrytest.KindOCITags
		fault(t, s, test.fault)
		_, err := connect(t, s).Versions(t.Context(), rocket)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
