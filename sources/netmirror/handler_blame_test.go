package netmirror_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// last returns what the last message of a kind said; nil if there was none.
func (l *logbook) last(message string) map[string]slog.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen[message]
}

// blames makes sure that a fetch and the request for it failed, because of the store or the source alone, by a cause.
func (l *logbook) blames(t *testing.T, who string, cause error) {
	t.Helper()
	told := []string{"WARN cannot fetch", "WARN request failed"}
	untold := []string{"ERROR cannot store", "ERROR request failed"}
	if who == "the store" {
		told, untold = untold, told
	}
	for i := range told {
		if l.last(told[i]) == nil || l.last(untold[i]) != nil {
			t.Errorf("want %q, have %v", told[i], l.seen)
			continue
		}
		if err, _ := l.last(told[i])["error"].Any().(error); !errors.Is(err, cause) {
			t.Errorf("%s: the error is %v", told[i], err)
		}
	}
}

// A version that is released again with other contents is the source's mistake: what is signed about it now does not
// fit what the store has of it.
func TestAVersionThatIsReleasedAgain(t *testing.T) {
	t.Parallel()
	signer, store, log := newSigner(t), t.TempDir(), newLogbook(t)
	asking := func(c *netmirror.HandlerConfig) {
		c.VersionTTL, c.IndexTTL, c.Logger = -1, -1, slog.New(log)
	}
	releasing := func(text string) sources.Source {
		r := released("1.0.0")
		r.Executable = []byte(text)
		return registry(start(t, registrytest.Config{Signer: signer, Releases: []registrytest.Release{r}}))
	}
	expect(t, readThrough(t, releasing("one"), in(store), asking), rocketLinux, http.StatusOK)
	again := readThrough(t, releasing("two"), in(store), asking)
	expect(t, again, strings.Replace(rocketLinux, linux.String(), darwin.String(), 1), http.StatusBadGateway)
	err, _ := log.last("WARN cannot fetch")["error"].Any().(error)
	if !errors.As(err, new(*sources.StatementError)) {
		t.Errorf("the error is %v", err)
	}
	log.blames(t, "the source", err)
}

// Damage that cannot be healed is the store's trouble, whatever keeps the source from healing it.
func TestDamageThatCannotBeHealed(t *testing.T) {
	t.Parallel()
	down := newShelf()
	down.fail(errDown)
	for name, source := range map[string]*shelf{"down": down, "no longer listed": newShelf()} {
		store, log := t.TempDir(), newLogbook(t)
		expect(t, newShelf("1.0.0").before(t, in(store)), rocketLinux, http.StatusOK)
		putFile(t, archives(t, store)[0], "damaged")
		h := source.before(t, in(store), func(c *netmirror.HandlerConfig) {
			c.StaleFor, c.IndexTTL, c.VersionTTL, c.Logger = -1, -1, -1, slog.New(log)
		})
		expect(t, h, rocketLinux, http.StatusInternalServerError)
		if log.last("ERROR the store is damaged") == nil || log.last("ERROR request failed") == nil {
			t.Errorf("%s: the log has %v", name, log.seen)
		}
		if err, _ := log.last("ERROR request failed")["error"].Any().(error); source == down && !errors.Is(err, errDown) {
			t.Errorf("the error does not say why: %v", err)
		}
	}
}

// Damage that is about to be healed is no reason to give up.
func TestDamageThatIsNotHealedYet(t *testing.T) {
	t.Parallel()
	s, store := newShelf("1.0.0"), t.TempDir()
	h := s.before(t, in(store))
	expect(t, h, rocketLinux, http.StatusOK)
	putFile(t, archives(t, store)[0], "damaged")
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, h, rocketLinux, http.StatusServiceUnavailable)
}

// Of two mirrors with a store, one waits until the other is done: that is no part of the time that its own fetch takes.
func TestWaitingForAnotherMirrorIsNotFetching(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, store, log := newShelf("1.0.0"), t.TempDir(), newLogbook(t)
		slow := s.before(t, in(store), func(c *netmirror.HandlerConfig) {
			c.Fetch = func(context.Context, sources.Provider, sources.Version, sources.Platform, string) (sources.Release, error) {
				time.Sleep(time.Minute)
				return sources.Release{}, errDown
			}
		})
		go slow.ServeHTTP(discard{}, requestOf(t.Context(), rocketLinux))
		synctest.Wait()
		h := s.before(t, in(store), func(c *netmirror.HandlerConfig) { c.Logger = slog.New(log) })
		expect(t, h, rocketLinux, http.StatusOK)
		if took := log.last("INFO fetched")["duration"].Duration(); took >= time.Second {
			t.Errorf("fetching took %s", took)
		}
	})
}

// A mirror that is shut down before it was its turn has not failed to fetch anything.
func TestClosingWhileAnotherMirrorFetches(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, store, log := newShelf("1.0.0"), t.TempDir(), newLogbook(t)
		first := s.before(t, in(store))
		expect(t, first, rocketV1, http.StatusOK)
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		go first.ServeHTTP(discard{}, requestOf(t.Context(), rocketLinux))
		synctest.Wait()
		h, err := netmirror.NewHandler(netmirror.HandlerConfig{Source: s, Fetch: s.fetch, Store: store, Logger: slog.New(log)})
		if err != nil {
			t.Fatal(err)
		}
		go h.ServeHTTP(discard{}, requestOf(t.Context(), rocketLinux))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it did not wait: %v", err)
		}
		time.Sleep(time.Second) // the lock is looked at from time to time
		synctest.Wait()
		if got := h.Stats(); got.FetchFailures != 0 || log.last("WARN cannot fetch") != nil || got.ArchiveMisses != 1 {
			t.Errorf("stats %+v, log %v", got, log.seen)
		}
		close(s.hold)
	})
}

// What a program's function says about a file of its own is not about the store.
func TestFilesElsewhereAreNotTheStores(t *testing.T) {
	t.Parallel()
	log := newLogbook(t)
	h := newShelf("1.0.0").before(t, func(c *netmirror.HandlerConfig) {
		c.Logger = slog.New(log)
		c.Fetch = func(context.Context, sources.Provider, sources.Version, sources.Platform, string) (sources.Release, error) {
			return sources.Release{}, &os.PathError{Op: "open", Path: "/etc/proxy.pem", Err: os.ErrPermission}
		}
	})
	expect(t, h, rocketLinux, http.StatusBadGateway)
	log.blames(t, "the source", os.ErrPermission)
}
