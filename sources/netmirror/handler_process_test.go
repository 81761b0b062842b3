package netmirror_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

// mirroring is what a child process is to do, handed over in an environment variable: to serve one request for rocket from a
// store that others share.
type mirroring struct {
	Store   string
	Journal string // each fetch adds a line to this file
	Hang    bool   // in the middle of the fetch
}

const mirroringVariable = "PURVEYOR_TEST_MIRRORING"

// TestMain makes the test binary a mirror, when it finds an order.
func TestMain(m *testing.M) {
	if text := os.Getenv(mirroringVariable); text != "" {
		if err := serveOnce(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serveOnce(text string) error {
	var m mirroring
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	h, err := netmirror.NewHandler(netmirror.HandlerConfig{Source: newShelf("1.0.0"), Fetch: m.fetch, Store: m.Store})
	if err != nil {
		return err
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, requestOf(context.Background(), rocketLinux))
	if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), bigArchive()) {
		return fmt.Errorf("status %d, %d bytes", w.Code, w.Body.Len())
	}
	return h.Shutdown(context.Background())
}

// bigArchive takes a while to be copied, so that a process can be killed meanwhile.
var bigArchive = sync.OnceValue(func() []byte {
	noise := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	return zipped(string(noise))
})

func (m mirroring) fetch(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
	journal, err := os.OpenFile(m.Journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return sources.Release{}, err
	}
	defer journal.Close()
	if _, err := fmt.Fprintln(journal, p, v, on); err != nil {
		return sources.Release{}, err
	}
	data := bigArchive()
	to, err := os.Create(path)
	if err != nil {
		return sources.Release{}, err
	}
	defer to.Close()
	if m.Hang {
		if _, err := to.Write(data[:len(data)/2]); err != nil {
			return sources.Release{}, err
		}
		<-ctx.Done()
		return sources.Release{}, ctx.Err()
	}
	if _, err := to.Write(data); err != nil {
		return sources.Release{}, err
	}
	a := sources.Archive{Platform: on, Path: path, Sum: hashing.ZH(sha256.Sum256(data))}
	return sources.Release{Provider: p, Version: v, Archives: []sources.Archive{a}}, nil
}

// start begins to serve in another process.
func (m mirroring) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stderr = append(os.Environ(), mirroringVariable+"="+string(text)), os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestProcessesFetchOnce(t *testing.T) {
	t.Parallel()
	m := mirroring{Store: t.TempDir(), Journal: filepath.Join(t.TempDir(), "journal")}
	var all []*exec.Cmd
	for range 4 {
		all = append(all, m.start(t))
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	journal, err := os.ReadFile(m.Journal)
	if got := bytes.Count(journal, []byte("\n")); got != 1 || err != nil {
		t.Errorf("%d fetches, error %v", got, err)
	}
}

// A process that is killed, wherever it was, leaves nothing that is served; those who wait for it go on. What else it leaves is
// cleared away by the next process, and the next package of the provider.
func TestAKilledMirrorIsReplaced(t *testing.T) {
	t.Parallel()
	home := filepath.FromSlash("registry.example.com/acme/rocket")
	want, killed := bigArchive(), 0
	for _, moment := range []struct {
		sign string // a file that is there from that moment on
		hang bool
	}{
		{".purveyor-mirror/fetch/*/*.zip", true},
		{".purveyor-mirror/fetch/*/*.zip", false},
		{home + "/.purveyor-*.tmp", false},
		{home + "/*.zip", false},
		{home + "/1.0.0.json", false},
	} {
		m := mirroring{Store: t.TempDir(), Journal: filepath.Join(t.TempDir(), "journal"), Hang: moment.hang}
		doomed := m.start(t)
		awaitFile(t, filepath.Join(m.Store, filepath.FromSlash(moment.sign)))
		heir := mirroring{Store: m.Store, Journal: m.Journal}
		successor := func() http.Handler {
			return readThrough(t, newShelf("1.0.0", "1.1.0"), in(m.Store), func(c *netmirror.HandlerConfig) { c.Fetch, c.IndexTTL = heir.fetch, -1 })
		}
		h := successor()
		got := make(chan *httptest.ResponseRecorder, 1)
		go func() { got <- request(t, h, rocketLinux) }() // it waits, if the other is still at it
		if err := doomed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if doomed.Wait() != nil {
			killed++
		}
		if w := <-got; w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), want) {
			t.Errorf("%s: status %d, %d bytes", moment.sign, w.Code, w.Body.Len())
		}
		expect(t, successor(), strings.Replace(rocketLinux, "1.0.0", "1.1.0", 1), http.StatusOK)
		checkClean(t, m.Store, home, want)
	}
	if killed == 0 {
		t.Error("nobody was killed before the end")
	}
}

func awaitFile(t *testing.T, pattern string) {
	t.Helper()
	for {
		if found, err := filepath.Glob(pattern); len(found) > 0 || err != nil {
			return
		}
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Microsecond) // for the child's sake: it needs a processor
	}
}

// checkClean makes sure that a store has the archive, and nothing besides it.
func checkClean(t *testing.T, store, home string, want []byte) {
	t.Helper()
	for _, pattern := range []string{home + "/.purveyor-*.tmp", ".purveyor-mirror/fetch/*/*"} {
		if left, _ := filepath.Glob(filepath.Join(store, filepath.FromSlash(pattern))); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	pkg, err := fsmirror.New(store).Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the store has %d bytes, error %v", len(got), err)
	}
}
