package gogetter_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// endless answers until the client goes away.
func endless(w http.ResponseWriter, r *http.Request) {
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestEndlessAnswersAreCutOff(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	source := open(t, gogetter.Config{Address: b.s3Address(), MaxArchive: 1 << 20})
	pkg, err := source.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	b.answers(endless)
	if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("a document: error is %v, want one of kind ErrTooLarge", err)
	}
	if _, _, err := pkg.Content.Archive.Open(t.Context()); !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("an archive: error is %v, want one of kind ErrTooLarge", err)
	}
}

func TestSmallButTooLarge(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	if _, err := fetch(t, open(t, gogetter.Config{Address: b.s3Address(), MaxArchive: 10})); !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("error is %v, want one of kind ErrTooLarge", err)
	}
}

// silent does not answer until the client goes away.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestStalls(t *testing.T) {
	t.Parallel()
	b := newBucket(t, t.TempDir(), httptest.NewServer)
	b.answers(silent)
	_, err := open(t, gogetter.Config{Address: b.s3Address(), Stall: 50 * time.Millisecond, Retries: -1}).Versions(t.Context(), rocket)
	if !errors.Is(err, sources.ErrUnavailable) || !strings.Contains(err.Error(), "no byte arrived") {
		t.Errorf("error is %v", err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	b := newBucket(t, t.TempDir(), httptest.NewServer)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.answers(func(w http.ResponseWriter, r *http.Request) {
		cancel(errors.New("enough"))
		silent(w, r)
	})
	_, err := open(t, gogetter.Config{Address: b.s3Address()}).Versions(ctx, rocket)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "enough") {
		t.Errorf("error is %v", err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	dir := mirrorDir(t, registrytest.Packed)
	for name, test := range map[string]struct {
		start func(http.Handler) *httptest.Server
		want  bool
	}{
		"to https":      {httptest.NewTLSServer, true},
		"to plain http": {httptest.NewServer, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := newBucket(t, dir, test.start)
			b := newBucket(t, dir, httptest.NewTLSServer)
			b.answers(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
			})
			client := b.Client() // trusts the other, too: all test servers have one certificate
			address := strings.Replace(b.URL, "https://", "https://me:s3cr3t@", 1) + "/bucket?sig=s3cr3t"
			_, err := open(t, gogetter.Config{Address: address, Client: client}).Versions(t.Context(), rocket)
			if (err == nil) != test.want {
				t.Errorf("error is %v", err)
			}
			for _, r := range other.asked() {
				if r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" || r.URL.RawQuery != "" {
					t.Errorf("credentials went along: %s %v", r.URL, r.Header)
				}
			}
			if r := b.asked()[0]; r.Header.Get("Authorization") == "" {
				t.Error("credentials did not even go where they belong")
			}
		})
	}
}

func TestTheWordOfAServerLeadsNowhere(t *testing.T) {
	t.Parallel()
	other := newBucket(t, t.TempDir(), httptest.NewTLSServer)
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewTLSServer)
	b.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Terraform-Get", other.URL)
		b.serveFile(w, r)
	})
	if _, err := fetch(t, open(t, gogetter.Config{Address: b.URL + "/bucket", Client: b.Client()})); err != nil {
		t.Error(err)
	}
	if n := len(other.asked()); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	t.Parallel()
	b := newBucket(t, t.TempDir(), func(h http.Handler) *httptest.Server {
		srv := httptest.NewUnstartedServer(h)
		srv.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
		srv.StartTLS()
		return srv
	})
	_, err := open(t, gogetter.Config{Address: b.URL + "/bucket"}).Versions(t.Context(), rocket)
	if err == nil || errors.Is(err, sources.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error is %v", err)
	}
}

func TestTemporaryFilesArePrivateAndGo(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	parent := t.TempDir()
	source := open(t, gogetter.Config{Address: b.s3Address(), Dir: parent})
	if _, err := fetch(t, source); err != nil {
		t.Fatal(err)
	}
	if left := below(t, parent, "file-*"); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	if left := below(t, parent, "."); len(left) != 0 {
		t.Errorf("left after Close is %v", left)
	}
	if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("error is %v, want fs.ErrClosed", err)
	}
}

// below returns what matches in the private directories of sources.
func below(t *testing.T, parent, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(parent, "gogetter-*", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNegativeBackoffIsNone(t *testing.T) {
	t.Parallel()
	b := newBucket(t, mirrorDir(t, registrytest.Packed), httptest.NewServer)
	var asked atomic.Int32
	b.answers(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		b.serveFile(w, r)
	})
	source := open(t, gogetter.Config{Address: b.URL + "/bucket", Backoff: -time.Hour, Retries: 3})
	if _, err := source.Versions(t.Context(), rocket); err != nil {
		t.Error(err)
	}
}

func TestLimitsThatAllowNothing(t *testing.T) {
	t.Parallel()
	var wrong *sources.FieldError
	for field, config := range map[string]gogetter.Config{
		"Config.MaxArchive":    {Address: "/srv/providers", MaxArchive: -1},
		"Config.MaxRepository": {Address: "/srv/providers", MaxRepository: -1},
	} {
		if _, err := gogetter.New(config); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: the error is %v", field, err)
		}
	}
	for range 20 {
		_, err := gogetter.New(gogetter.Config{Address: "/srv/providers", MaxArchive: -1, MaxRepository: -1})
		if !errors.As(err, &wrong) || wrong.Field != "Config.MaxArchive" {
			t.Fatalf("of two wrong fields the first is told each time: %v", err)
		}
	}
}

func TestAClosedSourceSaysSo(t *testing.T) {
	t.Parallel()
	source := open(t, gogetter.Config{Address: "https://mirror.example.com/providers"})
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := source.Versions(t.Context(), rocket)
	if !errors.Is(err, fs.ErrClosed) || !strings.HasSuffix(err.Error(), ": the source is closed") {
		t.Errorf("the error is %v", err)
	}
}
