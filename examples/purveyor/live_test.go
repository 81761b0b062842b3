package main

import (
	"bytes"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
)

// screen is a terminal, as far as bytes go.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestBarsFollowDownloads(t *testing.T) {
	t.Parallel()
	terminal, problems := &screen{}, &screen{}
	l := newLive(terminal, human{err: problems, show: func(path string) string { return path }})
	event := func(kind installer.EventKind) record {
		return record{Event: string(kind), Provider: "registry.opentofu.org/acme/rocket", Version: "1.4.0", Size: 100, Bytes: 60}
	}
	for _, kind := range []installer.EventKind{installer.EventResolving, installer.EventFetching, installer.EventProgress, installer.EventRetrying, installer.EventFetching} {
		l.print(event(kind))
	}
	if len(l.running) != 1 {
		t.Errorf("%d downloads are running, want 1", len(l.running))
	}
	l.print(event(installer.EventVerified))
	if len(l.running) != 0 {
		t.Error("the download still runs when its package is verified")
	}
	l.print(event(installer.EventFetching)) // one that nobody ends
	l.packages([]record{{Provider: "registry.opentofu.org/acme/rocket", Version: "1.4.0", Bytes: 2e6, Location: "https://example.com/r.zip",
		Seconds: 1.25, Authority: "signed", Key: strings.Repeat("AB", 20), Signer: "Acme"}})
	l.print(record{Event: "note", Message: "after the bars"})
	got := terminal.String()
	for _, want := range []string{
		"the download broke and begins again",
		"acme/rocket  1.4.0    example.com  2.0 MB  1.2s  signed by Acme, key ABABABABABABABAB\n",
		"Note: after the bars\n",
		"\racme/rocket 1.4.0 ", // not behind the "^C" of a terminal
		"\r\x1b[K",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("nothing about %q in:\n%s", want, got)
		}
	}
}

func fetching(version string) record {
	return record{Event: string(installer.EventFetching), Provider: "registry.opentofu.org/acme/rocket", Version: version, Location: "https://example.com/r.zip"}
}

// TestLinesWhereBarsHaveEnded: they end by themselves when the terminal goes away.
func TestLinesWhereBarsHaveEnded(t *testing.T) {
	t.Parallel()
	terminal := &screen{}
	l := newLive(terminal, human{err: terminal})
	l.print(fetching("1.0.0"))
	l.bars.Shutdown()
	l.print(fetching("1.4.0"))
	if len(l.running) != 1 || !strings.Contains(terminal.String(), "rocket 1.4.0: downloading https://example.com/r.zip\n") {
		t.Errorf("%d downloads are shown, and the terminal has\n%q", len(l.running), terminal)
	}
	l.print(record{Event: string(installer.EventProgress), Provider: "registry.opentofu.org/acme/rocket", Version: "1.4.0", Bytes: 1})
	l.close()
	l.close()
}

// gone is a terminal that was closed.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, syscall.EIO }

// TestTheTerminalGoes while downloads are shown; nothing waits for it, and nothing panics.
func TestTheTerminalGoes(t *testing.T) {
	t.Parallel()
	l := newLive(gone{}, human{err: gone{}})
	l.print(fetching("1.0.0"))
	for begun := true; begun && t.Context().Err() == nil; { // until mpb has noticed
		begun = l.follow(fetching("1.4.0"))
		l.follow(record{Event: string(installer.EventVerified), Provider: "registry.opentofu.org/acme/rocket", Version: "1.4.0"})
	}
	l.print(fetching("2.0.0"))
	l.close()
}

// TestNoBarsWithoutDownloads: a terminal gets plain lines.
func TestNoBarsWithoutDownloads(t *testing.T) {
	t.Parallel()
	terminal := &screen{}
	l := newLive(terminal, human{err: terminal})
	l.print(record{Event: "note", Message: "something"})
	l.close()
	if got, want := terminal.String(), "\rNote: something\n"; got != want || l.bars != nil {
		t.Errorf("the terminal has %q, want %q", got, want)
	}
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	var out, err bytes.Buffer
	h := &human{out: &out, err: &err, quiet: true, style: true}
	h.print(record{Event: "note", Message: "something"})
	h.print(record{Event: "error", Message: "broken"})
	if out.Len() != 0 || err.String() != "\x1b[1;31mError:\x1b[0m broken\n" {
		t.Errorf("got %q and %q", out.String(), err.String())
	}
}
