package direct_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// list lists the versions in a document.
func list(t *testing.T, document string) (sources.Listing, error) {
	t.Helper()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindVersions, Body: []byte(document)})
	return connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
}

func TestVersions(t *testing.T) {
	t.Parallel()
	s := start(t, alpha(), registrytest.Release{
		Provider: "acme/alpha", Version: "2.0.0-beta1", Platforms: []string{"windows_amd64"}, Protocols: []string{"5.1", "6.0"},
		Warnings: []string{"alpha is no more"},
	})
	got, err := connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
	if err != nil {
		t.Fatal(err)
	}
	want := sources.Listing{
		Versions: []sources.Available{
			{Version: v1, Platforms: []sources.Platform{linux, darwin}, Protocols: []sources.Protocol{{Major: 5}}},
			{
				Version: sources.MustParseVersion("2.0.0-beta1"), Platforms: []sources.Platform{windows},
				Protocols: []sources.Protocol{{Major: 5, Minor: 1}, {Major: 6}},
			},
		},
		Warnings: []string{"alpha is no more"},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b sources.Version) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

func TestListedVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, document string
		want           []string
		warnings       int
	}{
		{"none", `{"versions": []}`, nil, 0},
		{"no member", `{}`, nil, 0},
		{"null", `{"versions": null, "warnings": null}`, nil, 0},
		{"null entry", `{"versions": [null, {"version": "1.0.0"}]}`, []string{"1.0.0"}, 1},
		{"null members", `{"versions": [{"version": "1.0.0", "protocols": null, "platforms": null}]}`, []string{"1.0.0"}, 0},
		{"nulls in members", `{"versions": [{"version": "1.0.0", "protocols": [null], "platforms": [null, {"os": null}]}]}`, []string{"1.0.0"}, 0},
		{"null version", `{"versions": [{"version": null}]}`, nil, 1},
		{"unparsable", `{"versions": [{"version": "v1.1.0"}, {"version": "latest"}, {"version": "1.0.0"}]}`, []string{"1.0.0"}, 2},
		{"path", `{"versions": [{"version": "../../../1.0.0"}]}`, nil, 1},
		{"beyond 64 bits", `{"versions": [{"version": "1.0.0"}, {"version": "18446744073709551616.0.0"}, {"version": "9223372036854775808.0.0"}]}`, []string{"1.0.0"}, 2},
		{"two spellings", `{"versions": [{"version": "1.0"}, {"version": "1.0.0"}, {"version": "01.00.00"}]}`, []string{"1.0.0"}, 0},
		{"twice", `{"versions": [{"version": "1.0.0"}, {"version": "1.0.0"}]}`, []string{"1.0.0"}, 0},
		{"build metadata", `{"versions": [{"version": "1.0.0+a"}, {"version": "1.0.0+b"}]}`, []string{"1.0.0+a", "1.0.0+b"}, 0},
		{"unknown members", `{"id": 7, "versions": [{"version": "1.0.0", "x": {}}], "extra": []}`, []string{"1.0.0"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			listing, err := list(t, c.document)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range listing.Versions {
				got = append(got, a.Version.String())
				if a.Platforms != nil || a.Protocols != nil {
					t.Errorf("%s: platforms %v and protocols %v, of which nothing is known", a.Version, a.Platforms, a.Protocols)
				}
			}
			if !slices.Equal(got, c.want) || len(listing.Warnings) != c.warnings {
				t.Errorf("versions %q, warnings %q; want %q and %d", got, listing.Warnings, c.want, c.warnings)
			}
		})
	}
}

// What a listing says besides the version is a hint: what cannot be understood counts as not said.
func TestHintsThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	listing, err := list(t, `{"versions": [{"version": "1.0.0",
		"protocols": ["five", "5.0", "5.99999999"],
		"platforms": [{"os": "../..", "arch": "amd64"}, {"os": "linux", "arch": "amd64"}, {"os": "linux", "arch": "amd64"}, {"os": "plan9"}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	a := listing.Versions[0]
	if !slices.Equal(a.Platforms, []sources.Platform{linux}) || !slices.Equal(a.Protocols, []sources.Protocol{{Major: 5}}) {
		t.Errorf("platforms %v, protocols %v", a.Platforms, a.Protocols)
	}
}

func TestWarningsAboutVersionsAreShort(t *testing.T) {
	t.Parallel()
	listing, err := list(t, `{"versions": [{"version": "`+strings.Repeat("x", 1<<20)+`"}]}`)
	if err != nil || len(listing.Warnings) != 1 {
		t.Fatalf("listing = %v, %v", listing, err)
	}
	if n := len(listing.Warnings[0]); n > 1000 {
		t.Errorf("a warning of %d bytes", n)
	}
}

func TestMalformedVersions(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		``, `null`, `[]`, `"versions"`, `{`, `{"versions": {}}`, `{"versions": [1]}`, `{"versions": [{"version": 1}]}`,
		`{"versions": [{"version": "1.0.0", "platforms": {}}]}`, `{"versions": []} x`, "\xef\xbb\xbf{}",
		`{"versions": ` + strings.Repeat("[", 1<<20),
	} {
		if listing, err := list(t, document); !errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%.40q: listing %v, error %v; want ErrMalformed", document, listing, err)
		}
	}
}

func TestVersionsStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    registrytest.Fault
		is       error
		requests int
	}{
		"absent":           {registrytest.Fault{Status: 404}, sources.ErrNotFound, 1},
		"unauthorized":     {registrytest.Fault{Status: 401}, sources.ErrUnauthorized, 1},
		"forbidden":        {registrytest.Fault{Status: 403}, sources.ErrUnauthorized, 1},
		"internal error":   {registrytest.Fault{Status: 500}, sources.ErrUnavailable, 2},
		"busy":             {registrytest.Fault{Status: 429}, sources.ErrUnavailable, 2},
		"busy for long":    {registrytest.Fault{Status: 429, RetryAfter: "3600"}, sources.ErrUnavailable, 1},
		"connection broke": {registrytest.Fault{CutAt: -1}, sources.ErrUnavailable, 2},
		"body broke":       {registrytest.Fault{CutAt: 10}, sources.ErrUnavailable, 2},
		"timeout":          {registrytest.Fault{StallAt: 10}, sources.ErrUnavailable, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			c.fault.Kind = registrytest.KindVersions
			misbehave(t, s, c.fault)
			source := connect(s, func(c *direct.Config) { c.Timeout = 300 * time.Millisecond })
			_, err := source.Versions(t.Context(), provider(t, s, "acme/alpha"))
			for _, kind := range []error{sources.ErrNotFound, sources.ErrUnauthorized, sources.ErrUnavailable, sources.ErrMalformed} {
				if errors.Is(err, kind) != (kind == c.is) {
					t.Errorf("error = %v; %v: %v", err, kind, errors.Is(err, kind))
				}
			}
			if n := s.Count(registrytest.KindVersions); n < c.requests || c.requests == 1 && n > 1 {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

func TestVersionsCancel(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindVersions, StallAt: -1})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	begun := time.Now()
	_, err := connect(s, nil).Versions(ctx, provider(t, s, "acme/alpha"))
	if !errors.Is(err, context.Canceled) || errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("error = %v, want Canceled", err)
	}
	if waited := time.Since(begun); waited > 5*time.Second {
		t.Errorf("returned after %v", waited)
	}
}
