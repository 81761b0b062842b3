package netmirror_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

var errDown = fmt.Errorf("%w: https://user:secret@origin.example.com/ is down", sources.ErrUnavailable)

// inBubble runs a test in which time passes at once.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

func TestTheListIsAskedForAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		h := s.before(t)
		for _, step := range []struct {
			pause time.Duration
			asked int
		}{
			{0, 1},
			{netmirror.DefaultIndexTTL - time.Second, 1},
			{2 * time.Second, 2},
			{time.Second, 2},
		} {
			time.Sleep(step.pause)
			expect(t, h, rocketIndex, http.StatusOK)
			if asked, _ := s.counts(); asked != step.asked {
				t.Errorf("after %s more the source was asked %d times, want %d", step.pause, asked, step.asked)
			}
		}
	})
}

// Who knows of a new version need not wait until the list has to be asked for again.
func TestANewVersionIsFoundSoon(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		h := s.before(t)
		expect(t, h, rocketIndex, http.StatusOK)
		s.offer("1.0.0", "2.0.0")
		two := strings.Replace(rocketV1, "1.0.0", "2.0.0", 1)
		expect(t, h, two, http.StatusNotFound)
		time.Sleep(netmirror.DefaultNegativeTTL + time.Second)
		expect(t, h, two, http.StatusOK)
	})
}

func TestAbsenceIsRemembered(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf()
		store := t.TempDir()
		h := s.before(t, in(store))
		for range 3 {
			expect(t, h, rocketIndex, http.StatusNotFound)
		}
		if asked, _ := s.counts(); asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		if entries, err := os.ReadDir(filepath.Join(store, ".purveyor-mirror", "answers")); err == nil {
			t.Errorf("something is written about what is not there: %v", entries)
		}
		s.fail(errDown)
		time.Sleep(netmirror.DefaultNegativeTTL)
		expect(t, h, rocketIndex, http.StatusServiceUnavailable) // absence that may have ended
		s.fail(nil)
		s.offer("1.0.0")
		time.Sleep(11 * time.Second)
		expect(t, h, rocketIndex, http.StatusOK)
	})
}

func TestStaleDocuments(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		store := t.TempDir()
		h := s.before(t, in(store), func(c *netmirror.HandlerConfig) { c.StaleFor = 24 * time.Hour })
		expect(t, h, rocketV1, http.StatusOK)
		s.fail(errDown)
		time.Sleep(2 * time.Hour)
		for range 3 {
			for _, path := range []string{rocketIndex, rocketV1} {
				w := expect(t, h, path, http.StatusOK)
				if w.Header().Get("Warning") == "" || w.Header().Get("Age") != "7200" {
					t.Errorf("header is %v", w.Header())
				}
			}
		}
		if asked, _ := s.counts(); asked != 2 {
			t.Errorf("a source that is down was asked %d times", asked)
		}
		restarted := s.before(t, in(store))
		expect(t, restarted, rocketV1, http.StatusOK)
		time.Sleep(23 * time.Hour)
		if w := expect(t, h, rocketIndex, http.StatusServiceUnavailable); strings.Contains(w.Body.String(), "secret") {
			t.Errorf("the answer is %s", w.Body)
		}
		expect(t, restarted, rocketIndex, http.StatusOK) // by default, for ever
		s.fail(nil)
		time.Sleep(11 * time.Second)
		if w := expect(t, h, rocketIndex, http.StatusOK); w.Header().Get("Warning") != "" {
			t.Error("what the source says is still stale")
		}
	})
}

// A version that was withdrawn is not there any more; what is in the store is.
func TestWithdrawnVersions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0", "1.1.0")
		h := s.before(t)
		expect(t, h, rocketLinux, http.StatusOK)
		s.offer("1.2.0")
		time.Sleep(netmirror.DefaultIndexTTL)
		got := expect(t, h, rocketIndex, http.StatusOK).Body.String()
		if !strings.Contains(got, "1.0.0") || strings.Contains(got, "1.1.0") || !strings.Contains(got, "1.2.0") {
			t.Errorf("index.json is %s", got)
		}
		expect(t, h, rocketV1, http.StatusOK)
		expect(t, h, strings.Replace(rocketV1, "1.0.0", "1.1.0", 1), http.StatusNotFound)
	})
}

// That a provider was withdrawn is an answer like another, but not for ever: it may be back.
func TestAWithdrawnProvider(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		store := t.TempDir()
		h := s.before(t, in(store))
		expect(t, h, rocketIndex, http.StatusOK)
		s.offer()
		time.Sleep(netmirror.DefaultIndexTTL)
		expect(t, h, rocketIndex, http.StatusNotFound)
		s.fail(errDown)
		time.Sleep(netmirror.DefaultNegativeTTL)
		expect(t, h, rocketIndex, http.StatusServiceUnavailable)
		expect(t, s.before(t, in(store)), rocketIndex, http.StatusServiceUnavailable)
	})
}

// A source that hangs keeps nobody waiting who can have an old answer.
func TestASourceThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		h := s.before(t)
		expect(t, h, rocketIndex, http.StatusOK)
		time.Sleep(netmirror.DefaultIndexTTL)
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		begin := time.Now()
		if w := expect(t, h, rocketIndex, http.StatusOK); w.Header().Get("Warning") == "" || time.Since(begin) != 3*time.Second {
			t.Errorf("after %s the header is %v", time.Since(begin), w.Header())
		}
		if expect(t, h, rocketIndex, http.StatusOK); time.Since(begin) != 3*time.Second {
			t.Errorf("who came later waited until %s after the question", time.Since(begin))
		}
		s.offer("2.0.0")
		close(s.hold)
		synctest.Wait()
		if got := expect(t, h, rocketIndex, http.StatusOK).Body.String(); !strings.Contains(got, "2.0.0") {
			t.Errorf("index.json is %s", got)
		}
	})
}

func TestMinimumAge(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const day = 24 * time.Hour
		s := newShelf("1.0.0")
		store := t.TempDir()
		old := func(c *netmirror.HandlerConfig) { c.MinAge = 7 * day }
		h := s.before(t, in(store), old)
		expect(t, h, rocketIndex, http.StatusOK)
		time.Sleep(day)
		s.offer("1.0.0", "1.1.0")
		lists := func(h http.Handler, want bool) {
			t.Helper()
			status := http.StatusNotFound
			if want {
				status = http.StatusOK
			}
			if got := expect(t, h, rocketIndex, http.StatusOK).Body.String(); !strings.Contains(got, "1.0.0") || strings.Contains(got, "1.1.0") != want {
				t.Errorf("index.json is %s", got)
			}
			for _, path := range []string{rocketV1, rocketLinux} {
				expect(t, h, path, http.StatusOK)
				expect(t, h, strings.Replace(path, "1.0.0", "1.1.0", 1), status)
			}
		}
		lists(h, false)
		s.offer("1.0.0") // it goes away and comes back
		time.Sleep(3 * day)
		lists(h, false)
		s.offer("1.0.0", "1.1.0")
		time.Sleep(3 * day)
		restarted := s.before(t, in(store), old)
		lists(restarted, false)
		time.Sleep(day)
		lists(restarted, true)
		lists(h, true)

		// A record that cannot be read is no reason to take everything for old.
		record := filepath.Join(store, ".purveyor-mirror", "answers", "registry.example.com", "acme", "rocket", "versions.json")
		if err := os.WriteFile(record, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.offer("1.0.0", "1.1.0", "1.2.0")
		if got := expect(t, s.before(t, in(store), old), rocketIndex, http.StatusOK).Body.String(); strings.Contains(got, "1.2.0") {
			t.Errorf("index.json is %s", got)
		}
	})
}

// What is stored while it is too young, by a mirror that does not mind, is not served by one that does.
func TestMinimumAgeOfWhatIsStored(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("0.9.0")
		store := t.TempDir()
		h := s.before(t, in(store))
		expect(t, h, rocketIndex, http.StatusOK)
		s.offer("0.9.0", "1.0.0")
		time.Sleep(time.Hour)
		expect(t, h, rocketLinux, http.StatusOK)
		serving := readThrough(t, nil, in(store), func(c *netmirror.HandlerConfig) { c.MinAge = 24 * time.Hour })
		expect(t, serving, "/registry.example.com/acme/rocket/index.json", http.StatusOK)
		s.offer("0.9.0", "1.0.0", "1.1.0")
		time.Sleep(2 * time.Hour)
		expect(t, h, strings.Replace(rocketLinux, "1.0.0", "1.1.0", 1), http.StatusOK)
		expect(t, serving, strings.Replace(rocketLinux, "1.0.0", "1.1.0", 1), http.StatusNotFound)
		strict := readThrough(t, nil, in(store), func(c *netmirror.HandlerConfig) { c.MinAge = 3 * time.Hour })
		expect(t, strict, rocketLinux, http.StatusNotFound)
		expect(t, strict, rocketV1, http.StatusNotFound)
		if strict.Stats().Denied != 2 {
			t.Errorf("stats are %+v", strict.Stats())
		}
		time.Sleep(time.Hour)
		expect(t, strict, rocketLinux, http.StatusOK)
	})
}

func TestAFailedFetchIsNotTriedAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		fetches := 0
		h := s.before(t, func(c *netmirror.HandlerConfig) {
			c.Fetch = func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
				if fetches++; fetches == 1 {
					return sources.Release{}, errors.New("refused")
				}
				return s.fetch(ctx, p, v, on, path)
			}
		})
		for range 5 {
			expect(t, h, rocketLinux, http.StatusBadGateway)
		}
		if fetches != 1 || h.Stats().FetchFailures != 1 {
			t.Errorf("%d fetches, stats %+v", fetches, h.Stats())
		}
		time.Sleep(11 * time.Second)
		expect(t, h, rocketLinux, http.StatusOK)
	})
}

func TestAFetchThatHangsEnds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		h := s.before(t, func(c *netmirror.HandlerConfig) { c.FetchTimeout = time.Minute })
		expect(t, h, rocketV1, http.StatusOK)
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		begin := time.Now()
		expect(t, h, rocketLinux, http.StatusGatewayTimeout)
		if time.Since(begin) != time.Minute {
			t.Errorf("it took %s", time.Since(begin))
		}
	})
}

// Whoever leaves leaves the others, and those who come later, the download.
func TestAClientThatLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		h := s.before(t)
		expect(t, h, rocketV1, http.StatusOK)
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			h.ServeHTTP(discard{}, requestOf(ctx, rocketLinux))
		}()
		synctest.Wait()
		leave()
		<-left
		close(s.hold)
		synctest.Wait()
		expect(t, h, rocketLinux, http.StatusOK)
		if _, fetched := s.counts(); fetched != 1 || h.Stats().ArchiveHits != 1 || h.Stats().Failed != 0 {
			t.Errorf("%d fetches, stats %+v", fetched, h.Stats())
		}
	})
}

func TestClosing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		h := s.before(t)
		expect(t, h, rocketV1, http.StatusOK)
		if err := h.Healthy(t.Context()); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		go h.ServeHTTP(discard{}, requestOf(t.Context(), rocketLinux))
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- h.Shutdown(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Fatalf("it is closed while something is being fetched: %v", err)
		default:
		}
		expect(t, h, "/registry.example.com/acme/other/index.json", http.StatusServiceUnavailable)
		close(s.hold)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		expect(t, h, rocketLinux, http.StatusOK)
		if h.Healthy(t.Context()) == nil {
			t.Error("it is closed and healthy")
		}
	})
}

func TestClosingInAHurry(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		store := t.TempDir()
		h, err := netmirror.NewHandler(netmirror.HandlerConfig{Source: s, Fetch: s.fetch, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, h, rocketV1, http.StatusOK)
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		go h.ServeHTTP(discard{}, requestOf(t.Context(), rocketLinux))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		synctest.Wait()
		if got := archives(t, store); len(got) != 0 {
			t.Errorf("left behind: %v", got)
		}
	})
}

// Only so many archives wait; the others are for later.
func TestTheQueueIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0", "1.1.0", "1.2.0", "1.3.0")
		h := s.before(t, func(c *netmirror.HandlerConfig) { c.Fetches, c.Queue = 1, 2 })
		for v := range 4 {
			expect(t, h, fmt.Sprintf("/registry.example.com/acme/rocket/1.%d.0.json", v), http.StatusOK)
		}
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		for v := range 2 {
			go h.ServeHTTP(discard{}, requestOf(t.Context(), strings.Replace(rocketLinux, "1.0.0", fmt.Sprintf("1.%d.0", v), 1)))
		}
		synctest.Wait()
		expect(t, h, strings.Replace(rocketLinux, "1.0.0", "1.2.0", 1), http.StatusServiceUnavailable)
		if got := h.Stats().Fetching; got != 1 {
			t.Errorf("%d archives are being fetched", got)
		}
		close(s.hold)
		synctest.Wait()
		expect(t, h, strings.Replace(rocketLinux, "1.0.0", "1.3.0", 1), http.StatusOK)
	})
}

func requestOf(ctx context.Context, path string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// discard is a client that does not care.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
