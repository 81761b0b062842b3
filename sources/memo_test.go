package sources_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// counter counts what a source is asked.
type counter struct {
	sources.Source
	versions, packages, claims atomic.Int32
}

func (c *counter) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	c.versions.Add(1)
	return c.Source.Versions(ctx, p)
}

func (c *counter) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	c.packages.Add(1)
	pkg, err := c.Source.Package(ctx, p, v, on)
	if err != nil {
		return nil, err
	}
	pkg.Protocols = []sources.Protocol{{Major: 5}}
	pkg.Claims = func(ctx context.Context) (hashing.Claims, error) {
		if c.claims.Add(1) == 1 {
			return hashing.Claims{}, errDown
		}
		return hashing.Claims{
			Package: []hashing.Claim{{Hash: "h1:a"}}, Others: []hashing.Claim{{Hash: "h1:b"}}, Signer: &hashing.Signer{KeyID: "c"},
		}, ctx.Err()
	}
	return pkg, nil
}

func TestMemoAsksOnce(t *testing.T) {
	t.Parallel()
	c := &counter{Source: holds("a", "1.0.0", "2.0.0")}
	m := sources.Memo(c)
	for range 3 {
		if _, err := m.Versions(t.Context(), rocket); err != nil {
			t.Error(err)
		}
		for _, on := range []sources.Platform{linux, darwin} {
			if pkg, err := m.Package(t.Context(), rocket, v1, on); err != nil || pkg.Platform != on {
				t.Errorf("package = %+v, %v", pkg, err)
			}
		}
	}
	if v, p := c.versions.Load(), c.packages.Load(); v != 1 || p != 2 {
		t.Errorf("asked for versions %d times and for packages %d times; want 1 and 2", v, p)
	}
	if m.String() != "a" {
		t.Errorf("name = %q", m.String())
	}
}

func TestMemoForgetsErrors(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{errDown, sources.ErrNotFound} {
		s := holds("a", "1.0.0")
		m := sources.Memo(s)
		s.err = failure
		if _, err := m.Versions(t.Context(), rocket); !errors.Is(err, failure) {
			t.Errorf("Versions: %v, want %v", err, failure)
		}
		if _, err := m.Package(t.Context(), rocket, v1, linux); !errors.Is(err, failure) {
			t.Errorf("Package: %v, want %v", err, failure)
		}
		s.err = nil
		if _, err := m.Versions(t.Context(), rocket); err != nil {
			t.Errorf("Versions, still: %v", err)
		}
		if _, err := m.Package(t.Context(), rocket, v1, linux); err != nil {
			t.Errorf("Package, still: %v", err)
		}
	}
}

func TestMemoRemembersClaims(t *testing.T) {
	t.Parallel()
	c := &counter{Source: holds("a", "1.0.0")}
	m := sources.Memo(c)
	for i := range 4 {
		pkg, err := m.Package(t.Context(), rocket, v1, linux)
		if err != nil {
			t.Fatal(err)
		}
		claims, err := pkg.Claims(t.Context())
		if failed := err != nil; failed != (i == 0) {
			t.Errorf("call %d: claims %+v, %v; want an error from the first alone", i, claims, err)
		}
	}
	if n := c.claims.Load(); n != 2 {
		t.Errorf("asked for claims %d times, want once until it failed and once more", n)
	}
}

func TestMemoOfPackageWithoutClaims(t *testing.T) {
	t.Parallel()
	pkg, err := sources.Memo(holds("a", "1.0.0")).Package(t.Context(), rocket, v1, linux)
	if err != nil || pkg.Claims != nil {
		t.Errorf("package = %+v, %v; want one that nobody vouches for", pkg, err)
	}
}

// nothing is a source that breaks the rules: it returns neither a package nor an error.
type nothing struct{ sources.Source }

func (nothing) Package(context.Context, sources.Provider, sources.Version, sources.Platform) (*sources.Package, error) {
	return nil, nil
}

func TestMemoOfNothing(t *testing.T) {
	t.Parallel()
	if pkg, err := sources.Memo(nothing{holds("a")}).Package(t.Context(), rocket, v1, linux); err == nil {
		t.Errorf("package = %v without an error", pkg)
	}
}

func TestCallersCannotChangeEachOthersAnswers(t *testing.T) {
	t.Parallel()
	s := holds("a", "1.0.0 linux_amd64")
	listing := s.listing["acme/rocket"]
	listing.Warnings = []string{"w"}
	listing.Versions[0].Protocols = []sources.Protocol{{Major: 5}}
	listing.Versions[0].From = []string{"f"}
	s.listing["acme/rocket"] = listing
	m := sources.Memo(&counter{Source: s})
	read := func() (sources.Listing, *sources.Package, hashing.Claims) {
		listing, err := m.Versions(t.Context(), rocket)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := m.Package(t.Context(), rocket, v1, linux)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = pkg.Claims(t.Context()) // fails once
		claims, err := pkg.Claims(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return listing, pkg, claims
	}
	spoil := func() {
		listing, pkg, claims := read()
		a := &listing.Versions[0]
		a.Platforms[0], a.Protocols[0], a.From[0], listing.Warnings[0] = windows, sources.Protocol{}, "", ""
		*a = sources.Available{}
		pkg.Protocols[0], pkg.Content, pkg.Location = sources.Protocol{}, sources.Content{}, ""
		claims.Package[0], claims.Others[0], claims.Signer.KeyID = hashing.Claim{}, hashing.Claim{}, ""
	}
	spoil()
	got, pkg, claims := read()
	a := got.Versions[0]
	if a.Version != v1 || a.Platforms[0] != linux || a.Protocols[0].Major != 5 || a.From[0] != "f" || got.Warnings[0] != "w" {
		t.Errorf("listing = %+v", got)
	}
	if pkg.Protocols[0].Major != 5 || pkg.Content.Dir == "" || pkg.Location == "" {
		t.Errorf("package = %+v", pkg)
	}
	want := hashing.Claims{Package: []hashing.Claim{{Hash: "h1:a"}}, Others: []hashing.Claim{{Hash: "h1:b"}}, Signer: &hashing.Signer{KeyID: "c"}}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Error(diff)
	}
}

func TestMemoAsksForAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := holds("a", "1.0.0")
		s.delay = time.Second
		c := &counter{Source: s}
		m := sources.Memo(c)
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				if _, err := m.Versions(t.Context(), rocket); err != nil {
					t.Error(err)
				}
				if _, err := m.Package(t.Context(), rocket, v1, linux); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if v, p := c.versions.Load(), c.packages.Load(); v != 1 || p != 1 {
			t.Errorf("asked %d and %d times", v, p)
		}
	})
}

func TestWaiterOfMemoTakesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := holds("a", "1.0.0")
		s.delay = time.Hour
		c := &counter{Source: s}
		m := sources.Memo(c)
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() {
			if _, err := m.Versions(ctx, rocket); !errors.Is(err, context.Canceled) {
				t.Errorf("the asker who left: %v", err)
			}
		})
		synctest.Wait()
		for range 3 {
			wait.Go(func() {
				if _, err := m.Versions(t.Context(), rocket); err != nil {
					t.Errorf("one who waits: %v", err)
				}
			})
		}
		time.Sleep(time.Minute)
		cancel()
		wait.Wait()
		if n := c.versions.Load(); n != 2 {
			t.Errorf("asked %d times, want once by the first and once by another", n)
		}
	})
}

// chatty is a source that tells when it is asked.
type chatty struct{ sources.Source }

func (c chatty) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	fmt.Println("asking", c)
	return c.Source.Versions(ctx, p)
}

func ExampleMemo() {
	source := sources.Memo(chatty{holds("the origin registry", "1.0.0")})
	for range 2 {
		listing, err := source.Versions(context.Background(), rocket)
		fmt.Println(listing.Versions[0].Version, err)
	}
	// Output:
	// asking the origin registry
	// 1.0.0 <nil>
	// 1.0.0 <nil>
}
