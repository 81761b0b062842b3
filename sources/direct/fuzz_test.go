package direct_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
)

// fuzzing returns a source whose registry answers with one body to everything but discovery. Nothing is sent.
func fuzzing(body []byte) *direct.Source {
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		w := newRecorder()
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"providers.v1": "/v1/"}`))
		} else {
			w.Write(body)
		}
		return w.response(r), nil
	})
	return direct.New(direct.Config{Client: &http.Client{Transport: transport}, Retries: -1, Backoff: -1})
}

func FuzzVersions(f *testing.F) {
	f.Add([]byte(`{"versions": [{"version": "1.0", "protocols": ["5.0"], "platforms": [{"os": "linux", "arch": "amd64"}]}], "warnings": ["w"]}`))
	f.Add([]byte(`{"versions": [null, {"version": null, "platforms": [null]}]}`))
	f.Add([]byte(`{"versions": [{"version": "18446744073709551616.0.0"}, {"version": "v1"}]}`))
	p := sources.MustParseProvider("registry.example.com/acme/alpha")
	f.Fuzz(func(t *testing.T, body []byte) {
		listing, err := fuzzing(body).Versions(context.Background(), p)
		if err != nil && !errors.Is(err, sources.ErrMalformed) {
			t.Errorf("error = %v, want ErrMalformed", err)
		}
		seen := map[sources.Version]bool{}
		for _, a := range listing.Versions {
			if seen[a.Version] {
				t.Errorf("%s is listed twice", a.Version)
			}
			seen[a.Version] = true
		}
	})
}

func FuzzPackage(f *testing.F) {
	const sum = "0000000000000000000000000000000000000000000000000000000000000000"
	f.Add([]byte(`{"os": "linux", "arch": "amd64", "filename": "a.zip", "download_url": "a.zip", "shasums_url": "sums",
		"shasums_signature_url": "sig", "shasum": "` + sum + `", "protocols": ["5.0"],
		"signing_keys": {"gpg_public_keys": [{"ascii_armor": "x"}]},
		"packages": {"linux_amd64": {"hashes": ["zh:` + sum + `", "h1:x"]}}}`))
	f.Add([]byte(`{"os": "linux", "arch": "amd64", "filename": "a.zip", "download_url": "//h/a", "shasums_url": "?", "shasum": "` + sum + `"}`))
	f.Add([]byte(`{"signing_keys": {"gpg_public_keys": [null]}, "packages": {"x": null}}`))
	p := sources.MustParseProvider("registry.example.com/acme/alpha")
	f.Fuzz(func(t *testing.T, body []byte) {
		pkg, err := fuzzing(body).Package(context.Background(), p, v1, linux)
		if err != nil {
			if !errors.Is(err, sources.ErrMalformed) {
				t.Errorf("error = %v, want ErrMalformed", err)
			}
			return
		}
		if pkg.Content.Archive == nil || pkg.Platform != linux {
			t.Errorf("package = %+v", pkg)
		}
		claims, err := pkg.Claims(context.Background())
		if err == nil && len(claims.Package) == 0 {
			t.Error("claims without any about the package")
		}
		for _, claim := range claims.Package {
			if claim.Authority == hashing.Signed {
				t.Error("signed by a fuzzer")
			}
		}
	})
}

func FuzzDiscovery(f *testing.F) {
	f.Add([]byte(`{"providers.v1": "/v1/", "modules.v1": "https://modules.example.com/"}`))
	f.Add([]byte(`{"providers.v1": null}`))
	f.Add([]byte(`{"providers.v1": "javascript:x"}`))
	f.Add([]byte(`{"providers.v1": "https://user:secret@example.com/#f"}`))
	f.Add([]byte(`{"providers.v9": {}}`))
	f.Add([]byte(`[]`))
	p := sources.MustParseProvider("registry.example.com/acme/alpha")
	f.Fuzz(func(t *testing.T, body []byte) {
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			w := newRecorder()
			if r.URL.Path == "/.well-known/terraform.json" {
				w.Header().Set("Content-Type", "application/json")
				w.Write(body)
			} else {
				w.WriteHeader(http.StatusNotFound)
			}
			return w.response(r), nil
		})
		source := direct.New(direct.Config{Client: &http.Client{Transport: transport}, Retries: -1, Backoff: -1})
		_, err := source.Versions(context.Background(), p)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("error = %v; nothing was listed, and secrets are not shown", err)
		}
	})
}
