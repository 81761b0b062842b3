package direct_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestPackage(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := provider(t, s, "acme/alpha")
	pkg, err := connect(s, nil).Package(t.Context(), p, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if pkg.Provider != p || pkg.Version != v1 || pkg.Platform != linux || !slices.Equal(pkg.Protocols, []sources.Protocol{{Major: 5}}) {
		t.Errorf("package = %+v", pkg)
	}
	if want := s.URL() + "/releases/acme/alpha/1.0.0/terraform-provider-alpha_1.0.0_linux_amd64.zip"; pkg.Location != want {
		t.Errorf("Location = %s, want %s", pkg.Location, want)
	}
	for _, kind := range []registrytest.Kind{registrytest.KindVersions, registrytest.KindArchive, registrytest.KindSums} {
		if s.Count(kind) != 0 {
			t.Errorf("describing the package made %d requests for %s", s.Count(kind), kind)
		}
	}
}

func TestAbsentPackages(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []struct {
		name, provider, version string
		available               []sources.Platform // nil: not a PlatformError
	}{
		{"provider", "acme/beta", "1.0.0", nil},
		{"version", "acme/alpha", "1.0.1", nil},
		{"platform", "acme/alpha", "1.0.0", []sources.Platform{darwin, linux}},
	} {
		p := provider(t, s, c.provider)
		_, err := connect(s, nil).Package(t.Context(), p, sources.MustParseVersion(c.version), windows)
		var question *sources.Error
		if !errors.Is(err, sources.ErrNotFound) || !errors.As(err, &question) || question.Provider != p || question.Platform != windows {
			t.Errorf("%s: error = %v, want ErrNotFound with the question", c.name, err)
		}
		var platform *sources.PlatformError
		if errors.As(err, &platform) != (c.available != nil) || platform != nil && !slices.Equal(platform.Available, c.available) {
			t.Errorf("%s: error = %v, want platforms %v", c.name, err, c.available)
		}
	}
}

// A platform that is listed, but is not there, is not offered as its own replacement.
func TestListedPlatformIsAbsent(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Status: 404})
	_, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || !slices.Equal(platform.Available, []sources.Platform{darwin}) {
		t.Errorf("error = %v", err)
	}
}

func TestPackageInTheRegistrysSpelling(t *testing.T) {
	t.Parallel()
	release := alpha()
	release.Version = "1.0"
	for name, listFirst := range map[string]bool{"listed before": true, "from a lock file": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, release)
			source := connect(s, nil)
			p := provider(t, s, "acme/alpha")
			if listFirst {
				if _, err := source.Versions(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			pkg, err := source.Package(t.Context(), p, v1, linux)
			if err != nil {
				t.Fatal(err)
			}
			if pkg.Version != v1 || !strings.Contains(pkg.Location, "/1.0/") {
				t.Errorf("package = %+v", pkg)
			}
			if _, err := source.Package(t.Context(), p, v1, windows); !errors.Is(err, sources.ErrNotFound) {
				t.Errorf("error = %v, want ErrNotFound", err)
			}
		})
	}
}

func TestRegistryCorrectsItsSpelling(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindVersions, Times: 1, Body: []byte(`{"versions": [{"version": "1.0"}]}`)})
	source := connect(s, nil)
	p := provider(t, s, "acme/alpha")
	for range 2 {
		if _, err := source.Versions(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := source.Package(t.Context(), p, v1, linux); err != nil {
		t.Errorf("error = %v, although the version is listed as 1.0.0 now", err)
	}
}

func TestMalformedPackages(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func([]byte) []byte{
		"not JSON":                   func([]byte) []byte { return []byte("<html>") },
		"array":                      func([]byte) []byte { return []byte("[]") },
		"null":                       func([]byte) []byte { return []byte("null") },
		"empty":                      func([]byte) []byte { return []byte("{}") },
		"wrong os":                   set("os", "windows"),
		"wrong arch":                 set("arch", "arm64"),
		"no os":                      without("os"),
		"null arch":                  set("arch", nil),
		"no filename":                without("filename"),
		"no download_url":            without("download_url"),
		"bad download_url":           set("download_url", "https://example.com/%zz?sig=hidden"),
		"download_url of other type": set("download_url", 1),
		"no shasums_url":             without("shasums_url"),
		"bad shasums_url":            set("shasums_url", ":hidden"),
		"no shasums_signature_url":   without("shasums_signature_url"),
		"no shasum":                  without("shasum"),
		"short shasum":               set("shasum", strings.Repeat("0", 63)),
		"long shasum":                set("shasum", strings.Repeat("0", 66)),
		"shasum not hexadecimal":     set("shasum", strings.Repeat("g", 64)),
		"shasum with scheme":         set("shasum", "zh:"+strings.Repeat("0", 61)),
		"bad protocol":               set("protocols", []string{"five"}),
		"null key":                   set("signing_keys", map[string]any{"gpg_public_keys": []any{nil}}),
		"key without armor":          set("signing_keys", map[string]any{"gpg_public_keys": []any{map[string]any{"key_id": "1"}}}),
		"bad platform in packages":   set("packages", map[string]any{"linux": map[string]any{"hashes": []string{}}}),
		"null in packages":           set("packages", map[string]any{"linux_amd64": nil}),
		"bad hash in packages":       set("packages", map[string]any{"linux_amd64": map[string]any{"hashes": []string{"deadbeef"}}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: edit})
			pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
			if !errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrNotFound) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("package %v, error %v; want ErrMalformed", pkg, err)
			}
		})
	}
}

func TestOptionalMembersOfPackages(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func([]byte) []byte{
		"no protocols":      without("protocols"),
		"null protocols":    set("protocols", nil),
		"null packages":     set("packages", nil),
		"upper-case shasum": editing(func(doc map[string]any) { doc["shasum"] = strings.ToUpper(doc["shasum"].(string)) }),
		"extra members":     set("extra", []int{1}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: edit})
			pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pkg.Claims(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMessagesAboutPackagesAreShort(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: set("os", strings.Repeat("x", 1<<20))})
	_, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err == nil || len(err.Error()) > 2000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

func TestPackageDocumentTooLarge(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Body: make([]byte, direct.MaxPackageDocument+1)})
	_, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("error = %v, want ErrTooLarge", err)
	}
}
