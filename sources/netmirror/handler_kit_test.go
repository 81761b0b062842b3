package netmirror_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const (
	rocketIndex = "/registry.example.com/acme/rocket/index.json"
	rocketV1    = "/registry.example.com/acme/rocket/1.0.0.json"
	rocketLinux = "/registry.example.com/acme/rocket/terraform-provider-rocket_1.0.0_linux_amd64.zip"
)

// fetching is the FetchFunc that programs use.
func fetching(in *installer.Installer) netmirror.FetchFunc {
	return func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
		archive, err := in.Fetch(ctx, p, v, on, path)
		if err != nil {
			return sources.Release{}, err
		}
		return sources.Release{Provider: p, Version: v, Archives: []sources.Archive{archive.Publishable()}, Statement: archive.Statement}, nil
	}
}

// registry is the source that a handler for a test registry has.
func registry(origin *registrytest.Server) sources.Source {
	return direct.New(direct.Config{Client: origin.Client(), Retries: -1, ArchiveRetries: -1, Backoff: -1})
}

// readThrough is a handler before a source.
func readThrough(t *testing.T, source sources.Source, edits ...func(*netmirror.HandlerConfig)) *netmirror.Handler {
	t.Helper()
	cfg := netmirror.HandlerConfig{Source: source, Store: t.TempDir(), Logger: slog.New(newLogbook(t))}
	if source != nil {
		cfg.Fetch = fetching(&installer.Installer{Source: source})
	}
	for _, edit := range edits {
		edit(&cfg)
	}
	h, err := netmirror.NewHandler(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return h
}

// in chooses a handler's store.
func in(store string) func(*netmirror.HandlerConfig) {
	return func(c *netmirror.HandlerConfig) { c.Store = store }
}

// listen serves a handler below /providers/, and returns the URL of that and a client.
func listen(t *testing.T, h http.Handler) (base string, client *http.Client) {
	t.Helper()
	srv := httptest.NewTLSServer(http.StripPrefix("/providers", h))
	t.Cleanup(srv.Close)
	return srv.URL + "/providers", srv.Client()
}

// through returns the client's side of a handler.
func through(t *testing.T, h http.Handler, edits ...func(*netmirror.Config)) *netmirror.Source {
	t.Helper()
	base, client := listen(t, h)
	cfg := netmirror.Config{URL: base + "/", Client: client, Backoff: time.Millisecond, Retries: -1, ArchiveRetries: -1}
	for _, edit := range edits {
		edit(&cfg)
	}
	source, err := netmirror.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// request asks a handler without a network.
func request(t testing.TB, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// expect asks and compares the status.
func expect(t testing.TB, h http.Handler, path string, status int, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := request(t, h, path, header...)
	if w.Code != status {
		t.Fatalf("%s: status %d, want %d: %.200q", path, w.Code, status, w.Body)
	}
	return w
}

// archives returns the names of all archives below a directory, also of those that are no part of a mirror.
func archives(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".zip") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// shelf is a source that tests can change, and that knows how often it was asked. It has rocket for linux.
type shelf struct {
	mu       sync.Mutex
	listing  []sources.Version
	failure  error
	asked    int                            // for versions
	fetched  int                            // archives
	hold     chan struct{}                  // nil: nothing waits
	vouching func() (hashing.Claims, error) // nil: nobody vouches
}

func newShelf(versions ...string) *shelf {
	s := &shelf{}
	s.offer(versions...)
	return s
}

func (s *shelf) offer(versions ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listing = nil
	for _, v := range versions {
		s.listing = append(s.listing, sources.MustParseVersion(v))
	}
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

func (s *shelf) counts() (asked, fetched int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.fetched
}

// wait hangs as long as the test wants.
func (s *shelf) wait(ctx context.Context) error {
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold == nil {
		return ctx.Err()
	}
	select {
	case <-hold:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) Versions(ctx context.Context, _ sources.Provider) (sources.Listing, error) {
	s.mu.Lock()
	s.asked++
	s.mu.Unlock()
	if err := s.wait(ctx); err != nil {
		return sources.Listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return sources.Listing{}, s.failure
	}
	if len(s.listing) == 0 {
		return sources.Listing{}, sources.ErrNotFound
	}
	var l sources.Listing
	for _, v := range s.listing {
		l.Versions = append(l.Versions, sources.Available{Version: v, Platforms: []sources.Platform{linux}})
	}
	return l, nil
}

func (s *shelf) Package(_ context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return nil, s.failure
	}
	pkg := &sources.Package{Provider: p, Version: v, Platform: on}
	pkg.Content.Archive = sources.OpenFunc(func(context.Context) (io.ReadCloser, int64, error) {
		data := zipped(v.String())
		return io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
	})
	if s.vouching != nil {
		pkg.Claims = func(context.Context) (hashing.Claims, error) { return s.vouching() }
	}
	return pkg, nil
}

func (s *shelf) String() string { return "shelf" }

// fetch is the shelf's FetchFunc.
func (s *shelf) fetch(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
	if err := s.wait(ctx); err != nil {
		return sources.Release{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched++
	data := zipped(v.String())
	a := sources.Archive{Platform: on, Path: path, Sum: hashing.ZH(sha256.Sum256(data))}
	return sources.Release{Provider: p, Version: v, Archives: []sources.Archive{a}}, os.WriteFile(path, data, 0o600)
}

// before is a handler before the shelf.
func (s *shelf) before(t *testing.T, edits ...func(*netmirror.HandlerConfig)) *netmirror.Handler {
	t.Helper()
	own := func(c *netmirror.HandlerConfig) { c.Fetch = s.fetch }
	return readThrough(t, s, append([]func(*netmirror.HandlerConfig){own}, edits...)...)
}

// zipped is an archive that depends on a text.
func zipped(text string) []byte {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	header := &zip.FileHeader{Name: "terraform-provider-rocket"}
	header.SetMode(0o755)
	entry, err := w.CreateHeader(header)
	if err == nil {
		_, err = io.WriteString(entry, text)
	}
	if err != nil || w.Close() != nil {
		panic("an archive in memory cannot be written")
	}
	return archive.Bytes()
}

// everywhere is a token for all hosts.
type everywhere sources.Token

func (e everywhere) Token(context.Context, sources.Host) (sources.Token, error) {
	return sources.Token(e), nil
}
