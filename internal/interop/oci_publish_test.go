package interop_test

import (
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// config leads to the OCI registry at an address, as the CLI configuration does, but with short pauses before retries.
func (w *ociWorld) config(t *testing.T, address string) ocimirror.Config {
	t.Helper()
	return ocimirror.Config{
		Repository: func(p sources.Provider) (string, string, error) {
			return address, "mirror/" + p.Namespace() + "/" + p.Type(), nil
		},
		Name:    address,
		Client:  w.client(t),
		Backoff: 20 * time.Millisecond,
		Credentials: &ocimirror.Keychain{Entries: []ocimirror.KeychainEntry{{
			Registry:   address,
			Credential: ocimirror.Credential{Username: ociUser, Password: ociPassword},
		}}},
	}
}

// reader is the source that config leads to.
func (w *ociWorld) reader(t *testing.T, address string) *ocimirror.Source {
	t.Helper()
	source, err := ocimirror.New(w.config(t, address))
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// target publishes where config leads to.
func (w *ociWorld) target(t *testing.T, address string) *ocimirror.Target {
	t.Helper()
	return newTarget(t, w.config(t, address))
}

func newTarget(t *testing.T, config ocimirror.Config) *ocimirror.Target {
	t.Helper()
	target, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// release fetches packages of a version from the provider registry and verifies them.
func (w *ociWorld) release(t *testing.T, provider, version string, platforms ...string) sources.Release {
	t.Helper()
	in := &installer.Installer{Source: w.source(), Dir: t.TempDir()}
	r := sources.Release{Provider: sources.MustParseProvider(provider), Version: sources.MustParseVersion(version)}
	dir := t.TempDir()
	for _, platform := range platforms {
		on, err := sources.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		a, err := in.Fetch(t.Context(), r.Provider, r.Version, on, filepath.Join(dir, platform+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		r.Archives = append(r.Archives, sources.Archive{Platform: on, Path: a.Path, Sum: a.Proof.Computed.Archive})
		r.Statement = a.Statement
	}
	return r
}

// publish publishes packages of a version as the provider registry has them.
func (w *ociWorld) publish(t *testing.T, provider, version string, platforms ...string) *sources.Pushed {
	t.Helper()
	return w.push(t, w.release(t, provider, version, platforms...))
}

func (w *ociWorld) push(t *testing.T, r sources.Release) *sources.Pushed {
	t.Helper()
	pushed, err := w.target(t, w.oci.address).Push(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return pushed
}

// raw asks the OCI registry without the library, and returns the body.
func (w *ociWorld) raw(t *testing.T, method, path string, want int) (http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://"+w.oci.address+"/v2/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(ociUser, ociPassword)
	req.Header.Set("Accept", "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json")
	resp, err := w.client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("%s %s: %s, %v\n%s", method, path, resp.Status, err, body)
	}
	return resp.Header, string(body)
}
