package gogetter_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

var (
	rocket = sources.MustParseProvider("registry.example.com/acme/rocket")
	linux  = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin = sources.Platform{OS: "darwin", Arch: "arm64"}
	v1     = sources.MustParseVersion("1.0.0")
)

const home = "registry.example.com/acme/rocket/" // of the provider in a mirror

// mirrorDir writes a mirror with two releases for two platforms.
func mirrorDir(t *testing.T, layout registrytest.Layout) string {
	t.Helper()
	dir := t.TempDir()
	platforms := []string{linux.String(), darwin.String()}
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: rocket.String(), Version: "1.0.0", Platforms: platforms},
		{Provider: rocket.String(), Version: "1.1.0-rc1", Platforms: platforms},
	}})
	if err := srv.WriteMirror(dir, layout); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fixture is what is in mirrorDir.
func fixture(secrets ...string) sourcetest.Fixture {
	f := sourcetest.Fixture{Secrets: secrets}
	for _, v := range []string{"1.0.0", "1.1.0-rc1"} {
		for _, on := range []sources.Platform{linux, darwin} {
			f.Packages = append(f.Packages, sourcetest.Package{Provider: rocket, Version: sources.MustParseVersion(v), Platform: on})
		}
	}
	return f
}

// open makes a source that is quick to give up, and closes it with the test.
func open(t *testing.T, config gogetter.Config) *gogetter.Source {
	t.Helper()
	if config.Backoff == 0 {
		config.Backoff = time.Millisecond
	}
	source, err := gogetter.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return source
}

// bucket is a server that has the files of a directory below /bucket/, and says of others what S3 says.
type bucket struct {
	*httptest.Server
	dir string

	mu       sync.Mutex
	answer   http.HandlerFunc // for what it is not nil: instead of a file
	requests []*http.Request
}

func newBucket(t *testing.T, dir string, start func(http.Handler) *httptest.Server) *bucket {
	t.Helper()
	b := &bucket{dir: dir}
	b.Server = start(b)
	t.Cleanup(b.Close)
	return b
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	answer := b.answer
	b.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	b.serveFile(w, r)
}

func (b *bucket) serveFile(w http.ResponseWriter, r *http.Request) {
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(strings.TrimPrefix(r.URL.Path, "/bucket/"))))
	if err != nil {
		s3Error(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	_, _ = w.Write(data)
}

func s3Error(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>it says</Message></Error>", code)
}

// answers makes the server answer in this way from now on.
func (b *bucket) answers(answer http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = answer
}

func (b *bucket) asked() []*http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests
}

const (
	keyID  = "AKIDEXAMPLE"
	secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"
)

// s3Address is the address of the server's bucket.
func (b *bucket) s3Address() string {
	return "s3::" + b.URL + "/bucket?region=eu-central-1&aws_access_key_id=" + keyID + "&aws_access_key_secret=wJalrXUtnFEMI%2FK7MDENG%2BbPxRfiCY"
}
