package gogetter_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

func TestObjectStoresKeepTheRules(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	source := open(t, gogetter.Config{Address: b.s3Address()})
	if err := sourcetest.TestSource(t.Context(), source, fixture(secret, keyID)); err != nil {
		t.Error(err)
	}
	for _, r := range b.asked() {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+keyID) || r.URL.RawQuery != "x-id=GetObject" {
			t.Fatalf("%s %s is not a signed request for an object: %v", r.Method, r.URL, r.Header)
		}
	}
}

func TestWebServersKeepTheRules(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewTLSServer)
	source := open(t, gogetter.Config{Address: b.URL + "/bucket?sig=s3cr3t", Client: b.Client()})
	if err := sourcetest.TestSource(t.Context(), source, fixture("s3cr3t")); err != nil {
		t.Error(err)
	}
	for _, r := range b.asked() {
		if r.URL.RawQuery != "sig=s3cr3t" {
			t.Fatalf("the query is missing from %s", r.URL)
		}
	}
}

// The SDK of Google Cloud can be told where its server is only by the environment.
func TestGoogleCloudStorageKeepsTheRules(t *testing.T) {
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(b.URL, "http://"))
	source := open(t, gogetter.Config{Address: "gcs::https://www.googleapis.com/storage/v1/bucket"})
	if err := sourcetest.TestSource(t.Context(), source, fixture()); err != nil {
		t.Error(err)
	}
	b.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrUnauthorized) {
		t.Errorf("error is %v, want one of kind ErrUnauthorized", err)
	}
}

func TestHashesAreClaims(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	for _, trust := range []bool{false, true} {
		pkg, err := open(t, gogetter.Config{Address: b.s3Address(), TrustAllHashes: trust}).Package(t.Context(), rocket, v1, linux)
		if err != nil {
			t.Fatal(err)
		}
		claims, err := pkg.Claims(t.Context())
		if err != nil || len(claims.Package) != 1 || claims.Package[0].Authority != hashing.Reported {
			t.Errorf("claims are %v, %v", claims.Package, err)
		}
		if (len(claims.Others) == 1) != trust {
			t.Errorf("with TrustAllHashes %t, others are %v", trust, claims.Others)
		}
	}
}

// edit replaces a file of the mirror.
func edit(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(home+name)), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestArchivesAreWithinTheMirror(t *testing.T) {
	t.Parallel()
	for name, reference := range map[string]string{
		"another host":      "https://evil.example.com/x.zip",
		"no scheme":         "//evil.example.com/x.zip",
		"from the root":     "/other-bucket/x.zip",
		"up and out":        "../../../../other-bucket/x.zip",
		"up, encoded":       "%2e%2e/%2e%2e/%2e%2e/../other-bucket/x.zip",
		"the mirror itself": "../../..",
		"another query":     "x.zip?aws_profile=prod",
		"a fragment":        "x.zip#1",
		"nothing":           "",
		"not a URL":         "%zz",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mirrorDir(t, registrytest.Packed)
			edit(t, dir, "1.0.0.json", `{"archives":{"linux_amd64":{"url":"`+reference+`"}}}`)
			_, err := open(t, gogetter.Config{Address: newBucket(t, dir, httptest.NewServer).s3Address()}).Package(t.Context(), rocket, v1, linux)
			if !errors.Is(err, sources.ErrMalformed) {
				t.Errorf("error is %v, want one of kind ErrMalformed", err)
			}
		})
	}
}

func TestArchivesMayBeElsewhereInTheMirror(t *testing.T) {
	t.Parallel()
	dir := mirrorDir(t, registrytest.Packed)
	edit(t, dir, "1.0.0.json", `{"archives":{"linux_amd64":{"url":"../../../all/x.zip"}}}`)
	if err := os.Mkdir(filepath.Join(dir, "all"), 0o755); err != nil {
		t.Fatal(err)
	}
	edit(t, dir, "../../../all/x.zip", "zip")
	if data, err := fetch(t, open(t, gogetter.Config{Address: newBucket(t, dir, httptest.NewServer).s3Address()})); err != nil || data != "zip" {
		t.Errorf("read %q, %v", data, err)
	}
}

// fetch reads the archive of rocket 1.0.0.
func fetch(t *testing.T, source sources.Source) (string, error) {
	t.Helper()
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		return "", err
	}
	body, _, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(body)
	return string(data), errors.Join(err, body.Close())
}

// What a document promises and the mirror does not have must not let a chain go on to the next source.
func TestAMissingArchiveIsNotAbsence(t *testing.T) {
	t.Parallel()
	dir := mirrorDir(t, registrytest.Packed)
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(home), "terraform-provider-rocket_1.0.0_linux_amd64.zip")); err != nil {
		t.Fatal(err)
	}
	_, err := fetch(t, open(t, gogetter.Config{Address: newBucket(t, dir, httptest.NewServer).s3Address()}))
	if !errors.As(err, new(*gogetter.FetchError)) || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error is %v, want one that is not absence", err)
	}
}

func TestArchivesAreNotUnpacked(t *testing.T) {
	t.Parallel()
	dir := mirrorDir(t, registrytest.Packed)
	const name = "terraform-provider-rocket_1.0.0_linux_amd64.zip"
	want, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(home+name)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(t, open(t, gogetter.Config{Address: newBucket(t, dir, httptest.NewServer).s3Address()})); err != nil || got != string(want) {
		t.Errorf("got %d bytes, %v, want the %d of the archive", len(got), err, len(want))
	}
}

func TestAnswersOfStores(t *testing.T) {
	t.Parallel()
	status := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { s3Error(w, status, code) }
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   error  // kind
		says   string // in the message
	}{
		"no object":       {status(404, "NoSuchKey"), sources.ErrNotFound, "does not have the provider"},
		"refused":         {status(403, "AccessDenied"), sources.ErrUnauthorized, "s3:ListBucket"},
		"bad signature":   {status(403, "SignatureDoesNotMatch"), sources.ErrUnauthorized, "SignatureDoesNotMatch"},
		"out of order":    {status(500, "InternalError"), sources.ErrUnavailable, "InternalError"},
		"slow down":       {status(503, "SlowDown"), sources.ErrUnavailable, "SlowDown"},
		"not JSON":        {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, sources.ErrMalformed, "not a JSON object"},
		"a JSON array":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }, sources.ErrMalformed, "not a JSON object"},
		"cut off":         {cutOff, sources.ErrUnavailable, "unexpected EOF"},
		"repeats secrets": {status(500, secret), sources.ErrUnavailable, "(redacted)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBucket(t, t.TempDir(), httptest.NewServer)
			b.answers(test.answer)
			_, err := open(t, gogetter.Config{Address: b.s3Address(), Retries: -1}).Versions(t.Context(), rocket)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), secret) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, "{")
}

// A wrong bucket must not let a chain go on to the next source.
func TestAMissingBucketIsNotAbsence(t *testing.T) {
	t.Parallel()
	b := newBucket(t, t.TempDir(), httptest.NewServer)
	b.answers(func(w http.ResponseWriter, _ *http.Request) { s3Error(w, http.StatusNotFound, "NoSuchBucket") })
	_, err := open(t, gogetter.Config{Address: b.s3Address()}).Versions(t.Context(), rocket)
	var failed *gogetter.FetchError
	if !errors.As(err, &failed) || errors.Is(err, sources.ErrNotFound) || !strings.Contains(err.Error(), "NoSuchBucket") {
		t.Errorf("error is %v", err)
	}
}

func TestWhatMayHelpIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewTLSServer)
	var asked atomic.Int32
	b.answers(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 1 {
			cutOff(w, r)
			return
		}
		b.serveFile(w, r)
	})
	if _, err := fetch(t, open(t, gogetter.Config{Address: b.URL + "/bucket", Client: b.Client()})); err != nil {
		t.Error(err)
	}
}

func TestAnotherSpellingOfAVersion(t *testing.T) {
	t.Parallel()
	dir := mirrorDir(t, registrytest.Packed)
	edit(t, dir, "index.json", `{"versions":{"1.0":{},"latest":{}}}`)
	path := filepath.Join(dir, filepath.FromSlash(home))
	if err := os.Rename(filepath.Join(path, "1.0.0.json"), filepath.Join(path, "1.0.json")); err != nil {
		t.Fatal(err)
	}
	source := open(t, gogetter.Config{Address: newBucket(t, dir, httptest.NewServer).s3Address()})
	if _, err := fetch(t, source); err != nil {
		t.Error(err)
	}
	listing, err := source.Versions(t.Context(), rocket)
	if err != nil || len(listing.Versions) != 1 || len(listing.Warnings) != 1 {
		t.Errorf("listing is %+v, %v; want one version, and a warning about the other", listing, err)
	}
}

func TestTheUnicodeFormOfAHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "bücher.example.com"), os.DirFS(filepath.Join(mirrorDir(t, registrytest.Packed), "registry.example.com"))); err != nil {
		t.Fatal(err)
	}
	source := open(t, gogetter.Config{Address: newBucket(t, dir, httptest.NewServer).s3Address()})
	if _, err := source.Package(t.Context(), sources.MustParseProvider("bücher.example.com/acme/rocket"), v1, linux); err != nil {
		t.Error(err)
	}
}
