package gogetter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
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

// signedMirror writes a mirror with what the origin has signed.
func signedMirror(t *testing.T, signer *registrytest.Signer) string {
	t.Helper()
	dir := t.TempDir()
	srv := registrytest.New(t, registrytest.Config{Signer: signer, Releases: []registrytest.Release{
		{Provider: rocket.String(), Version: "1.0.0", Platforms: []string{linux.String(), darwin.String()}, MirrorStatement: true},
	}})
	if err := srv.WriteMirror(dir, registrytest.Packed); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newSigner(t *testing.T) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func TestStatementsInStoresAreRead(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	b := newBucket(t, signedMirror(t, signer), httptest.NewServer)
	f := sourcetest.Fixture{Secrets: []string{secret, keyID}, Packages: []sourcetest.Package{
		{Provider: rocket, Version: v1, Platform: linux}, {Provider: rocket, Version: v1, Platform: darwin},
	}}
	if err := sourcetest.TestSource(t.Context(), open(t, gogetter.Config{Address: b.s3Address()}), f); err != nil {
		t.Error(err)
	}
	pkg, err := open(t, gogetter.Config{Address: b.s3Address()}).Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	before := len(b.asked())
	claims, err := pkg.Claims(t.Context())
	if err != nil || claims.Signer == nil || claims.Signer.Fingerprint != signer.Fingerprint() || !claims.Signer.Carried || claims.Statement == nil {
		t.Fatalf("claims are %+v, %v", claims, err)
	}
	if c := claims.Package[0]; c.Authority != hashing.Signed || c.Hash.Scheme() != hashing.SchemeZH || len(claims.Others) != 1 {
		t.Errorf("claims are %+v", claims)
	}
	if n := len(b.asked()) - before; n != 3 {
		t.Errorf("%d requests for a statement of three files", n)
	}
}

// What was signed is never taken without its signature.
func TestStatementsInStoresThatDoNotHold(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	for name, test := range map[string]struct {
		damage func(dir, sums string) error
		want   func(error) bool
	}{
		"altered":      {func(_, sums string) error { return appendTo(sums, "\n") }, isA[*signature.Error]},
		"no signature": {func(_, sums string) error { return os.Remove(sums + ".sig") }, isA[*gogetter.FetchError]},
		"large key": {func(_, sums string) error {
			return appendTo(sums+".key1.asc", strings.Repeat(" ", signature.MaxKeyBytes))
		}, func(err error) bool { return errors.Is(err, sources.ErrTooLarge) }},
		"large sums": {func(_, sums string) error { return appendTo(sums, strings.Repeat(" ", hashing.MaxSumsBytes)) }, func(err error) bool { return errors.Is(err, sources.ErrTooLarge) }},
		"elsewhere": {func(dir, sums string) error {
			return replaceIn(filepath.Join(dir, home, "1.0.0.json"), `"`+filepath.Base(sums)+`"`, `"https://example.com/sums"`)
		}, func(err error) bool { return errors.Is(err, sources.ErrMalformed) }},
		"half a reference": {func(dir, sums string) error {
			return replaceIn(filepath.Join(dir, home, "1.0.0.json"), `"`+filepath.Base(sums)+`.sig"`, `""`)
		}, func(err error) bool { return errors.Is(err, sources.ErrMalformed) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := signedMirror(t, signer)
			sums, err := filepath.Glob(filepath.Join(dir, home, "*_SHA256SUMS"))
			if err != nil || len(sums) != 1 {
				t.Fatalf("there are %q, %v", sums, err)
			}
			if err := test.damage(dir, sums[0]); err != nil {
				t.Fatal(err)
			}
			b := newBucket(t, dir, httptest.NewServer)
			pkg, err := open(t, gogetter.Config{Address: b.s3Address(), Retries: -1}).Package(t.Context(), rocket, v1, linux)
			if err == nil {
				_, err = pkg.Claims(t.Context())
			}
			if !test.want(err) || errors.Is(err, sources.ErrNotFound) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A statement has a key, and not too many.
func TestStatementsInStoresHaveKeys(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, signature.MaxKeys + 1} {
		dir := signedMirror(t, newSigner(t))
		path := filepath.Join(dir, home, "1.0.0.json")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		statement, _ := doc["origin_statement"].(map[string]any)
		keys, _ := statement["signing_keys_urls"].([]any)
		statement["signing_keys_urls"] = slices.Repeat(keys[:1], n)
		if data, err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
		edit(t, dir, "1.0.0.json", string(data))
		b := newBucket(t, dir, httptest.NewServer)
		pkg, err := open(t, gogetter.Config{Address: b.s3Address(), Retries: -1}).Package(t.Context(), rocket, v1, linux)
		if !errors.Is(err, sources.ErrMalformed) || !strings.Contains(err.Error(), fmt.Sprintf("%d signing_keys_urls", n)) {
			t.Errorf("%d keys: %v, %v", n, pkg, err)
		}
	}
}

// The packages of a version share a statement.
func TestAStatementInAStoreIsFetchedOnce(t *testing.T) {
	t.Parallel()
	b := newBucket(t, signedMirror(t, newSigner(t)), httptest.NewServer)
	source := open(t, gogetter.Config{Address: b.s3Address()})
	platforms := []sources.Platform{linux, darwin, linux, darwin}
	for _, on := range platforms {
		pkg, err := source.Package(t.Context(), rocket, v1, on)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pkg.Claims(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n, want := len(b.asked()), len(platforms)+3; n != want {
		t.Errorf("%d requests, want %d", n, want)
	}
}

func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func appendTo(path, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, text...), 0o600)
}

func replaceIn(path, old, by string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.Count(string(data), old) != 1 {
		return fmt.Errorf("%s does not have %s once", path, old)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(data), old, by, 1)), 0o600)
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
