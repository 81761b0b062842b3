package netmirror_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

// logbook is a log that knows the messages which the comment of HandlerConfig.Logger lists, and tolerates no others.
type logbook struct {
	t      *testing.T
	listed map[string][]string // keys by level and message

	mu   sync.Mutex
	seen map[string]map[string]slog.Value // what the last one of each said
}

var (
	listing  = regexp.MustCompile(`(?m)^\t//\t(INFO|WARN|ERROR) +(\S+(?: \S+)*)  +(\S.*)$`)
	subjects = []string{"provider", "version", "platform"}
)

func newLogbook(t *testing.T) *logbook {
	t.Helper()
	source, err := os.ReadFile("handler_config.go")
	if err != nil {
		t.Fatal(err)
	}
	l := &logbook{t: t, listed: make(map[string][]string), seen: make(map[string]map[string]slog.Value)}
	for _, line := range listing.FindAllStringSubmatch(string(source), -1) {
		l.listed[line[1]+" "+line[2]] = strings.Split(line[3], ", ")
	}
	if len(l.listed) < 8 {
		t.Fatalf("the comment lists %q", l.listed)
	}
	return l
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logbook) WithGroup(string) slog.Handler            { return l }

func (l *logbook) Handle(ctx context.Context, r slog.Record) error {
	message := r.Level.String() + " " + r.Message
	keys, ok := l.listed[message]
	if !ok {
		l.t.Errorf("the message %q is not listed", message)
	}
	if ctx == nil || ctx == context.Background() {
		l.t.Errorf("%s: it has no context", message)
	}
	said := make(map[string]slog.Value)
	r.Attrs(func(a slog.Attr) bool {
		if _, twice := said[a.Key]; twice || !slices.Contains(keys, a.Key) && !slices.Contains(subjects, a.Key) {
			l.t.Errorf("%s: the key %q is there twice, or is not listed", message, a.Key)
		}
		said[a.Key] = a.Value
		return true
	})
	for _, key := range keys {
		if _, ok := said[key]; !ok {
			l.t.Errorf("%s: there is no key %q", message, key)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[message] = said
	return nil
}

// Each message comes when it should, about what it should, and the list has no others.
func TestMessages(t *testing.T) {
	t.Parallel()
	log := newLogbook(t)
	logged := func(c *netmirror.HandlerConfig) { c.Logger = slog.New(log) }
	answers := func(h string) string {
		return filepath.Join(h, ".purveyor-mirror", "answers", "registry.example.com", "acme", "rocket")
	}

	// It is fetched, published onward in vain, damaged, and fetched again.
	s, store, onward := newShelf("1.0.0"), t.TempDir(), filepath.Join(t.TempDir(), "file")
	putFile(t, onward, "where a directory has to be")
	h := s.before(t, in(store), logged, func(c *netmirror.HandlerConfig) { c.Onward = fsmirror.NewTarget(onward) })
	expect(t, h, rocketLinux, http.StatusOK)
	if err := os.WriteFile(archives(t, store)[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, h, rocketLinux, http.StatusOK)

	// The source fails; what it answered before cannot be read.
	unreadable := t.TempDir()
	putFile(t, filepath.Join(answers(unreadable), "versions.json"), "{")
	down := newShelf()
	down.fail(errors.New("down"))
	expect(t, down.before(t, in(unreadable), logged), rocketIndex, http.StatusBadGateway)

	// What it answers cannot be kept.
	full := t.TempDir()
	putFile(t, filepath.Join(full, ".purveyor-mirror", "answers", "registry.example.com"), "where a directory has to be")
	expect(t, newShelf("1.0.0").before(t, in(full), logged), rocketIndex, http.StatusOK)

	// The archive cannot be had; or it is there, and cannot be stored.
	fetching := newShelf("1.0.0")
	for _, fails := range []func(netmirror.FetchFunc, string) netmirror.FetchFunc{
		func(netmirror.FetchFunc, string) netmirror.FetchFunc {
			return func(context.Context, sources.Provider, sources.Version, sources.Platform, string) (sources.Release, error) {
				return sources.Release{}, errors.New("cut off")
			}
		},
		func(fetch netmirror.FetchFunc, store string) netmirror.FetchFunc {
			return func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
				putFile(t, filepath.Join(store, "registry.example.com"), "where a directory has to be")
				return fetch(ctx, p, v, on, path)
			}
		},
	} {
		h := fetching.before(t, logged, func(c *netmirror.HandlerConfig) { c.Fetch = fails(c.Fetch, c.Store) })
		expect(t, h, rocketLinux, http.StatusBadGateway)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(slices.Sorted(maps.Keys(log.listed)), slices.Sorted(maps.Keys(log.seen))); diff != "" {
		t.Errorf("messages (-listed, +seen): %s", diff)
	}
	for message, said := range log.seen {
		about := []string{"registry.example.com/acme/rocket", "1.0.0", "linux_amd64"}
		if strings.Contains(message, "source") { // about the list of versions
			about = about[:1]
		}
		for i, value := range about {
			if got := said[subjects[i]].String(); got != value {
				t.Errorf("%s: %s is %q", message, subjects[i], got)
			}
		}
	}
	if got := log.seen["WARN request failed"]["request"].String(); got != rocketLinux {
		t.Errorf("the request is %q", got)
	}
}

func putFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Error(err)
	}
}
