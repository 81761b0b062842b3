package netmirror

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// oracle is a source that answers with a list, or with an error.
type oracle struct {
	asked   atomic.Int32
	listing sources.Listing
	err     error
}

func (o *oracle) Versions(context.Context, sources.Provider) (sources.Listing, error) {
	o.asked.Add(1)
	return o.listing, o.err
}

func (o *oracle) Package(context.Context, sources.Provider, sources.Version, sources.Platform) (*sources.Package, error) {
	return nil, sources.ErrNotFound
}

func (o *oracle) String() string { return "oracle" }

func (o *oracle) handler(t *testing.T) *Handler {
	t.Helper()
	h, err := NewHandler(HandlerConfig{Source: o, Store: t.TempDir(), Fetch: func(context.Context, sources.Provider, sources.Version, sources.Platform, string) (sources.Release, error) {
		return sources.Release{}, errors.New("there is nothing to fetch")
	}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A request that looked for an answer just before it came does not ask again, also if the answer is absence or a failure.
func TestWhoIsALittleLateDoesNotAskAgain(t *testing.T) {
	t.Parallel()
	p := sources.MustParseProvider("registry.example.com/acme/rocket")
	for _, err := range []error{nil, sources.ErrNotFound, errors.New("down")} {
		o := &oracle{err: err}
		h := o.handler(t)
		for range 2 {
			got := h.catalogues.renew(t.Context(), p, time.Minute)
			if _, judged := h.catalogues.judge(got); !errors.Is(judged, err) {
				t.Errorf("after %v: %v", err, judged)
			}
		}
		if got := o.asked.Load(); got != 1 {
			t.Errorf("after %v: asked %d times", err, got)
		}
	}
}

// Neither names that somebody makes up nor long lists fill the memory.
func TestMemoryForAnswersIsBounded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source *oracle
		names  int
	}{
		"names": {&oracle{err: sources.ErrNotFound}, maxHeld/minWeight + 100},
		"lists": {longList(1 << 20), 20},
	} {
		h := test.source.handler(t)
		for i := range test.names {
			p := sources.MustParseProvider(fmt.Sprintf("registry.example.com/acme/rocket%d", i))
			_, err := h.catalogues.get(t.Context(), p, time.Minute)
			if !errors.Is(err, test.source.err) {
				t.Fatal(err)
			}
		}
		total := 0
		for _, known := range h.catalogues.known {
			total += known.weight()
		}
		if total != h.catalogues.held || total > maxHeld || total < maxHeld/2 {
			t.Errorf("%s: %d bytes are held, counted as %d", name, total, h.catalogues.held)
		}
	}
}

// longList is a source whose list takes about so many bytes.
func longList(size int) *oracle {
	on := sources.Platform{OS: strings.Repeat("a", size), Arch: "amd64"}
	v := sources.MustParseVersion("1.0.0")
	return &oracle{listing: sources.Listing{Versions: []sources.Available{{Version: v, Platforms: []sources.Platform{on}}}}}
}

// A list that is too long to be remembered would make every version old, each time.
func TestAnEndlessListIsRefused(t *testing.T) {
	t.Parallel()
	p := sources.MustParseProvider("registry.example.com/acme/rocket")
	_, err := longList(maxRecord).handler(t).catalogues.get(t.Context(), p, time.Minute)
	if !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("error is %v", err)
	}
	if _, err := longList(maxRecord-1000).handler(t).catalogues.get(t.Context(), p, time.Minute); err != nil {
		t.Error(err)
	}
}
