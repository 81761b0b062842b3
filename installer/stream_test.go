package installer_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// link is an archive behind a slow network, in the simulated time of package synctest: so the times are exact.
type link struct {
	archive []byte
	rate    int           // bytes per second of one connection
	shared  int           // bytes per second of all; 0: no bound
	latency time.Duration // before the first byte of a connection

	plain    bool // there are no ranges
	unsized  bool // the size is not known
	changes  bool // the archive is another one from the second request on
	cut      int  // bytes after which a connection breaks; 0: none does
	broken   func(offset int64) error
	attempts int     // to open the archive
	growth   float64 // of the rate, with each packet; 0: none
	inParts  bool    // last, with and closing are for parts only

	last    error // instead of io.EOF
	with    error // together with the last bytes
	closing error // what was read to the end
	early   error // closing what was not

	census *census // nil: nobody counts

	mu      sync.Mutex
	free    time.Time // when the shared link is free again
	log     []string  // the ranges that were opened
	live    int
	most    int   // connections at a time
	refused int   // ranges
	bytes   int64 // that were read
}

func (l *link) Open(ctx context.Context) (io.ReadCloser, int64, error) {
	l.attempts++
	body := l.open(ctx, 0, int64(len(l.archive)), "all")
	size := int64(len(l.archive))
	if l.unsized {
		size = -1
	}
	if l.plain || l.unsized {
		return body, size, nil
	}
	return struct {
		io.ReadCloser
		sources.RangeOpener
	}{body, l}, size, nil
}

func (l *link) OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	if l.broken != nil {
		if err := l.broken(offset); err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.refused++
			return nil, err
		}
	}
	return l.open(ctx, offset, length, fmt.Sprintf("%d+%d", offset, length)), nil
}

func (l *link) open(ctx context.Context, offset, length int64, name string) io.ReadCloser {
	l.mu.Lock()
	l.log = append(l.log, name)
	l.live++
	l.most = max(l.most, l.live)
	l.mu.Unlock()
	l.census.add(1)
	time.Sleep(l.latency)
	archive := l.archive
	if l.changes && l.attempts > 1 {
		archive = bytes.Repeat([]byte("x"), len(archive))
	}
	return &slowBody{ctx: ctx, link: l, rest: archive[offset : offset+length], spoken: l.inParts && name == "all"}
}

// slowBody is one connection.
type slowBody struct {
	ctx  context.Context
	link *link
	rest []byte
	sent int

	spoken bool // there is no verdict
}

// verdict returns the error once everything was read.
func (b *slowBody) verdict(err error) error {
	if b.spoken || len(b.rest) > 0 {
		return nil
	}
	return err
}

func (b *slowBody) Read(p []byte) (int, error) {
	l := b.link
	n := min(len(p), len(b.rest), 32<<10)
	if l.cut > 0 {
		n = min(n, l.cut-b.sent)
	}
	l.mu.Lock()
	l.bytes += int64(n)
	if l.growth > 0 {
		l.rate = int(float64(l.rate) * l.growth)
	}
	wait := seconds(n, l.rate)
	if l.shared > 0 {
		l.free = later(l.free, time.Now()).Add(seconds(n, l.shared))
		wait = max(wait, time.Until(l.free))
	}
	l.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	switch copy(p, b.rest[:n]); {
	case len(b.rest) == 0:
		return 0, cmp.Or(b.verdict(l.last), io.EOF)
	case n == 0:
		return 0, fmt.Errorf("%w: the connection broke", sources.ErrUnavailable)
	}
	b.rest = b.rest[n:]
	b.sent += n
	return n, b.verdict(l.with)
}

func (b *slowBody) Close() error {
	b.link.mu.Lock()
	defer b.link.mu.Unlock()
	b.link.live--
	b.link.census.add(-1)
	if len(b.rest) > 0 {
		return b.link.early
	}
	return b.verdict(b.link.closing)
}

func seconds(n, rate int) time.Duration {
	return time.Duration(float64(n) / float64(rate) * float64(time.Second))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

const mb = 1_000_000

// noise makes a zip archive of about so many bytes, with the provider first and a text after it.
func noise(t *testing.T, size int, executable string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	for name, data := range map[string][]byte{executable: data, "LICENSE": []byte("free")} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// overLink returns an installer that has the archive behind a link as its only package.
func overLink(t *testing.T, l *link) *installer.Installer {
	sum := hashing.ZH(sha256.Sum256(l.archive))
	return &installer.Installer{Dir: t.TempDir(), Source: oneSource{&sources.Package{
		Provider: provider("acme/alpha"), Version: version("1.0.0"), Platform: sources.CurrentPlatform(),
		Location: "link", Content: sources.Content{Archive: l},
		Claims: claiming(hashing.Claim{Hash: sum, Authority: hashing.Reported}),
	}}}
}

// timed installs in simulated time and returns how long it took there.
func timed(t *testing.T, l *link, change func(*installer.Installer)) (took time.Duration, err error) {
	t.Helper()
	in := overLink(t, l)
	if change != nil {
		change(in)
	}
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		var result *installer.Result
		if result, err = in.Install(t.Context(), require("acme/alpha", "")); err == nil {
			checkInstalled(t, result, l)
		}
		took = time.Since(started)
	})
	if l.live != 0 {
		t.Errorf("%d connections were left open", l.live)
	}
	return took, err
}

func checkInstalled(t *testing.T, result *installer.Result, l *link) {
	t.Helper()
	pkg := result.Packages[0]
	tree, err := hashing.Dir(t.Context(), pkg.Dir)
	if err != nil || tree != pkg.Proof.Computed.Tree {
		t.Errorf("what is installed has the hash %s, computed on the way was %s (%v)", tree, pkg.Proof.Computed.Tree, err)
	}
	if want := hashing.ZH(sha256.Sum256(l.archive)); pkg.Proof.Computed.Archive != want || pkg.Downloaded != int64(len(l.archive)) {
		t.Errorf("the archive has %s and %d bytes, computed on the way was %s", want, pkg.Downloaded, pkg.Proof.Computed.Archive)
	}
}

func wantRatio(t *testing.T, what string, took, alone time.Duration, low, high float64) {
	t.Helper()
	if ratio := float64(took) / float64(alone); ratio < low || ratio > high {
		t.Errorf("%s took %v, which is %.2f times %v; want %.2f to %.2f", what, took, ratio, alone, low, high)
	}
}

func TestSeveralConnections(t *testing.T) {
	t.Parallel()
	archive := noise(t, 40*mb, "terraform-provider-alpha")
	alone := seconds(len(archive), 5*mb)
	connections := func(n int) func(*installer.Installer) {
		return func(in *installer.Installer) { in.ConnectionsPerArchive = n }
	}
	t.Run("each as slow as one", func(t *testing.T) {
		t.Parallel()
		l := &link{archive: archive, rate: 5 * mb, latency: 20 * time.Millisecond}
		took, err := timed(t, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantRatio(t, "with four connections, it", took, alone, 0.25, 0.32)
		if l.most != 4 {
			t.Errorf("there were %d connections at a time, want 4", l.most)
		}
	})
	t.Run("sharing", func(t *testing.T) {
		t.Parallel()
		l := &link{archive: archive, rate: 5 * mb, shared: 5 * mb, latency: 20 * time.Millisecond}
		took, err := timed(t, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantRatio(t, "over a shared link, it", took, alone, 1, 1.05)
	})
	t.Run("only one wanted", func(t *testing.T) {
		t.Parallel()
		l := &link{archive: archive, rate: 5 * mb, latency: 20 * time.Millisecond}
		took, err := timed(t, l, connections(1))
		if err != nil {
			t.Fatal(err)
		}
		wantRatio(t, "with one connection, it", took, alone, 1, 1.02)
		if len(l.log) != 2 {
			t.Errorf("requests are %v, want one for the archive and one for its end", l.log)
		}
	})
	t.Run("no ranges", func(t *testing.T) {
		t.Parallel()
		l := &link{archive: archive, rate: 5 * mb, plain: true}
		took, err := timed(t, l, nil)
		if err != nil || len(l.log) != 1 {
			t.Fatal(l.log, err)
		}
		wantRatio(t, "without ranges, it", took, alone, 1, 1.02)
	})
	t.Run("fast anyway", func(t *testing.T) {
		t.Parallel()
		l := &link{archive: archive, rate: 100 * mb}
		if _, err := timed(t, l, nil); err != nil || len(l.log) != 2 {
			t.Errorf("requests are %v, want one for the archive and one for its end (%v)", l.log, err)
		}
	})
}

func TestSmallArchivesTakeOneRequest(t *testing.T) {
	t.Parallel()
	l := &link{archive: noise(t, 8*mb, "terraform-provider-alpha"), rate: mb}
	if _, err := timed(t, l, nil); err != nil || len(l.log) != 1 {
		t.Errorf("requests are %v, want one (%v)", l.log, err)
	}
}

// However the archive comes, it comes right or not at all.
func TestHoweverTheArchiveComes(t *testing.T) {
	t.Parallel()
	archive := noise(t, 2*mb, "terraform-provider-alpha")
	refuse := errors.New("refused")
	for name, l := range map[string]*link{
		"ranges":            {},
		"no ranges":         {plain: true},
		"unknown size":      {unsized: true},
		"no end":            {broken: failBeyond(1.9*mb, refuse)},
		"no second half":    {broken: failBeyond(1*mb, refuse)},
		"no ranges at all":  {broken: failBeyond(0, refuse)},
		"ranges break":      {broken: failBeyond(0, sources.ErrUnavailable)},
		"one link for all":  {shared: mb},
		"with much latency": {latency: time.Second},
	} {
		for _, connections := range []int{1, 16} {
			for _, segment := range []int64{100_000, 1_000_000} {
				l := &link{
					archive: archive, rate: mb / 2, shared: l.shared, latency: l.latency,
					plain: l.plain, unsized: l.unsized, broken: l.broken,
				}
				_, err := timed(t, l, func(in *installer.Installer) {
					in.ConnectionsPerArchive, in.Connections, in.SegmentSize = connections, 20, segment
				})
				if err != nil {
					t.Errorf("%s, %d connections, segments of %d: %v (%v)", name, connections, segment, err, l.log)
				}
				if l.most > connections+1 {
					t.Errorf("%s: there were %d connections at a time, want at most %d and one for the end", name, l.most, connections)
				}
			}
		}
	}
}

func failBeyond(offset int64, err error) func(int64) error {
	return func(at int64) error {
		if at >= offset {
			return err
		}
		return nil
	}
}

// A source that cannot go on where a connection broke is asked again from the start, and only so often.
func TestConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	archive := noise(t, 2*mb, "terraform-provider-alpha")
	for _, plain := range []bool{true, false} {
		l := &link{archive: archive, rate: mb, plain: plain, cut: 90_000}
		if _, err := timed(t, l, func(in *installer.Installer) { in.SegmentSize = 500_000 }); !errors.Is(err, sources.ErrUnavailable) {
			t.Errorf("plain %t: error is %v, want ErrUnavailable", plain, err)
		}
		if l.attempts != 3 {
			t.Errorf("plain %t: %d attempts, want 3", plain, l.attempts)
		}
	}
}

// What was unpacked of an archive that has changed is not mixed with the new one.
func TestAnArchiveThatChangesBetweenAttempts(t *testing.T) {
	t.Parallel()
	l := &link{archive: noise(t, 2*mb, "terraform-provider-alpha"), rate: mb, cut: mb, changes: true}
	var damaged *installer.ArchiveError
	if _, err := timed(t, l, nil); !errors.As(err, &damaged) && !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
}

// Cancelling ends everything soon.
func TestCancelWhileArriving(t *testing.T) {
	t.Parallel()
	l := &link{archive: noise(t, 20*mb, "terraform-provider-alpha"), rate: mb}
	in := overLink(t, l)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		started := time.Now()
		if _, err := in.Install(ctx, require("acme/alpha", "")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		if took := time.Since(started); took > 6*time.Second {
			t.Errorf("it ended after %v", took)
		}
	})
	if l.live != 0 {
		t.Errorf("%d connections were left open", l.live)
	}
}
