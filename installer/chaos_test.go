package installer_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// flaky is an archive whose connections do anything at random, from a seed.
type flaky struct {
	archive []byte
	ranges  bool
	sized   bool

	mu   sync.Mutex
	rand *rand.Rand
	live int
}

var errFlaky = errors.New("no luck")

// luck is true so many times of a hundred.
func (f *flaky) luck(percent int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rand.IntN(100) < percent
}

func (f *flaky) number(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rand.IntN(n)
}

func (f *flaky) failure() error {
	if f.luck(50) {
		return sources.ErrUnavailable
	}
	return errFlaky
}

func (f *flaky) Open(ctx context.Context) (io.ReadCloser, int64, error) {
	body, err := f.open(ctx, f.archive)
	if err != nil {
		return nil, 0, err
	}
	size := int64(len(f.archive))
	switch {
	case !f.sized:
		return body, -1, nil
	case f.ranges:
		return struct {
			io.ReadCloser
			sources.RangeOpener
		}{body, f}, size, nil
	}
	return body, size, nil
}

func (f *flaky) OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	return f.open(ctx, f.archive[offset:offset+length])
}

func (f *flaky) open(ctx context.Context, rest []byte) (io.ReadCloser, error) {
	time.Sleep(time.Duration(f.number(200)) * time.Millisecond)
	if f.luck(5) {
		return nil, f.failure()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live++
	return &flakyBody{ctx: ctx, flaky: f, rest: rest, rate: 50_000 + f.rand.IntN(mb)}, nil
}

type flakyBody struct {
	ctx   context.Context
	flaky *flaky
	rest  []byte
	rate  int
}

func (b *flakyBody) Read(p []byte) (int, error) {
	n := min(len(p), len(b.rest), 1+b.flaky.number(100_000))
	select {
	case <-time.After(seconds(n, b.rate)):
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	switch {
	case b.flaky.luck(1):
		return 0, b.flaky.failure()
	case len(b.rest) == 0:
		return 0, io.EOF
	}
	copy(p, b.rest[:n])
	b.rest = b.rest[n:]
	if len(b.rest) == 0 && b.flaky.luck(50) {
		return n, io.EOF // as readers may
	}
	return n, nil
}

func (b *flakyBody) Close() error {
	b.flaky.mu.Lock()
	defer b.flaky.mu.Unlock()
	b.flaky.live--
	return nil
}

// Whatever goes wrong and whenever it is cancelled, each call ends, with the right package or an error, its events are as
// promised, and it leaves no connection and no goroutine behind: package synctest would find one.
func TestWhateverGoesWrong(t *testing.T) {
	t.Parallel()
	archive := noise(t, 3*mb, "terraform-provider-alpha")
	sum := hashing.ZH(sha256.Sum256(archive))
	done, failed := map[string]int{}, map[string]int{}
	seeds := uint64(180)
	if raceDetector {
		seeds = 60 // everything takes ten times as long
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		f := &flaky{archive: archive, rand: r, ranges: r.IntN(4) > 0, sized: r.IntN(6) > 0}
		in := f.installer(t)
		watched := watch(t, in)
		patience := time.Hour
		if r.IntN(4) == 0 {
			patience = time.Duration(r.IntN(10_000)) * time.Millisecond
		}
		method := []string{"Install", "Lock", "Fetch"}[seed%3]
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var got hashing.Hash
			err := watched.call(func() (err error) {
				got, err = bring(ctx, t, in, method)
				return err
			})
			watched.close()
			if err == nil {
				done[method]++
				if got != sum {
					t.Errorf("seed %d: the archive has %s, computed on the way was %s", seed, sum, got)
				}
				return
			}
			failed[method]++
			if !errors.Is(err, errFlaky) && !errors.Is(err, sources.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("seed %d: error is %v", seed, err)
			}
		})
		if f.live != 0 {
			t.Errorf("seed %d: %d connections were left open", seed, f.live)
		}
	}
	for _, method := range []string{"Install", "Lock", "Fetch"} {
		if enough := int(seeds / 20); done[method] < enough || failed[method] < enough {
			t.Errorf("%s: %d are done and %d failed: that says little", method, done[method], failed[method])
		}
	}
}

// installer returns one whose source has nothing but the flaky archive.
func (f *flaky) installer(t *testing.T) *installer.Installer {
	r := f.rand
	in := &installer.Installer{
		Dir: t.TempDir(), ConnectionsPerArchive: 1 + r.IntN(6), Connections: 1 + r.IntN(6), Downloads: 1 + r.IntN(4),
		SegmentSize: 50_000 + r.Int64N(mb), Unpacks: 1,
		Source: oneSource{&sources.Package{
			Provider: provider("acme/alpha"), Version: version("1.0.0"), Platform: sources.CurrentPlatform(),
			Location: "flaky", Content: sources.Content{Archive: f},
			Claims: func(context.Context) (hashing.Claims, error) {
				claims := hashing.Claims{Package: []hashing.Claim{{Hash: hashing.ZH(sha256.Sum256(f.archive)), Authority: hashing.Reported}}}
				if f.luck(5) {
					return hashing.Claims{}, f.failure()
				}
				return claims, nil
			},
		}},
	}
	if r.IntN(2) == 0 {
		in.CacheDir = t.TempDir()
	}
	return in
}

// bring calls a method of the installer and returns the hash of the archive that has come.
func bring(ctx context.Context, t *testing.T, in *installer.Installer, method string) (hashing.Hash, error) {
	alpha := provider("acme/alpha")
	switch method {
	case "Lock":
		locks, err := in.Lock(ctx, complete(require("acme/alpha", "")), nil)
		if err != nil {
			return "", err
		}
		return locks[alpha].Hashes[1], nil // after the h1
	case "Fetch":
		archive, err := in.Fetch(ctx, alpha, version("1.0.0"), sources.CurrentPlatform(), filepath.Join(t.TempDir(), "archive.zip"))
		if err != nil {
			return "", err
		}
		return archive.Proof.Computed.Archive, nil
	}
	result, err := in.Install(ctx, require("acme/alpha", ""))
	if err != nil {
		return "", err
	}
	return result.Packages[0].Proof.Computed.Archive, nil
}
