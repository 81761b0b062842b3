package installer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// links is a source of which each provider's only package is behind a link of its own.
type links map[string]*link

func (links) Versions(context.Context, sources.Provider) (sources.Listing, error) {
	return sources.Listing{Versions: []sources.Available{{Version: version("1.0.0")}}}, nil
}

func (l links) Package(_ context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	return &sources.Package{
		Provider: p, Version: v, Platform: on, Location: p.String(), Content: sources.Content{Archive: l[p.Type()]},
	}, nil
}

func (links) String() string { return "links" }

func (l links) requirements() installer.Request {
	req := installer.Request{Requirements: installer.Requirements{}}
	for name := range l {
		req.Requirements[provider("acme/"+name)] = sources.Constraints{}
	}
	return req
}

// census counts the connections of several links.
type census struct {
	mu        sync.Mutex
	now, most int
}

func (c *census) add(n int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	c.most = max(c.most, c.now)
}

// Small packages need not wait for large ones, however many of these there are.
func TestSmallPackagesPassLargeOnes(t *testing.T) {
	t.Parallel()
	all := links{}
	connections := &census{}
	for i := range 16 {
		name := fmt.Sprintf("large%d", i)
		all[name] = &link{archive: noise(t, 9*mb, "terraform-provider-"+name), rate: mb / 2, census: connections}
		name = fmt.Sprintf("small%d", i)
		all[name] = &link{archive: noise(t, mb/10, "terraform-provider-"+name), rate: mb / 2, census: connections}
	}
	in := &installer.Installer{Dir: t.TempDir(), Source: all}
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		var lastSmall, firstLarge time.Duration
		in.Notify = func(e installer.Event) {
			switch name := e.Provider.Type(); {
			case e.Kind != installer.EventInstalled:
			case name[:5] == "small":
				lastSmall = time.Since(started)
			case firstLarge == 0:
				firstLarge = time.Since(started)
			}
		}
		if _, err := in.Install(t.Context(), all.requirements()); err != nil {
			t.Fatal(err)
		}
		if lastSmall == 0 || lastSmall > firstLarge/4 {
			t.Errorf("the last small package was there after %v, the first large one after %v", lastSmall, firstLarge)
		}
	})
	if connections.most > installer.DefaultConnections {
		t.Errorf("there were %d connections at a time, want at most %d", connections.most, installer.DefaultConnections)
	}
}

// Also with the smallest bounds everything is installed in the end.
func TestTheSmallestBounds(t *testing.T) {
	t.Parallel()
	all := links{}
	for i := range 4 {
		name := fmt.Sprintf("p%d", i)
		all[name] = &link{archive: noise(t, mb, "terraform-provider-"+name), rate: mb / 2}
	}
	in := &installer.Installer{
		Dir: t.TempDir(), Source: all,
		Queries: 1, Downloads: 1, Connections: 1, ConnectionsPerArchive: 8, Unpacks: 1, SegmentSize: 100_000,
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := in.Install(t.Context(), all.requirements()); err != nil {
			t.Error(err)
		}
	})
}

// Bounds that mean "as many as you like" do not hang.
func TestTheLargestBounds(t *testing.T) {
	t.Parallel()
	archive := noise(t, 2*mb, "terraform-provider-alpha")
	for name, loosen := range map[string]func(*installer.Installer){
		"Queries":               func(in *installer.Installer) { in.Queries = math.MaxInt },
		"Downloads":             func(in *installer.Installer) { in.Downloads = math.MaxInt },
		"Connections":           func(in *installer.Installer) { in.Connections = math.MaxInt },
		"ConnectionsPerArchive": func(in *installer.Installer) { in.ConnectionsPerArchive = math.MaxInt },
		"Unpacks":               func(in *installer.Installer) { in.Unpacks = math.MaxInt },
		"SegmentSize":           func(in *installer.Installer) { in.SegmentSize = math.MaxInt64 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := timed(t, &link{archive: archive, rate: mb}, loosen); err != nil {
				t.Error(err)
			}
		})
	}
}

// What one download does wrong does not hold up the others.
func TestAFailureConcernsOneProvider(t *testing.T) {
	t.Parallel()
	all := links{}
	for i := range 6 {
		name := fmt.Sprintf("p%d", i)
		all[name] = &link{archive: noise(t, mb, "terraform-provider-"+name), rate: mb}
	}
	all["p3"].cut = 1000
	in := &installer.Installer{Dir: t.TempDir(), Source: all}
	synctest.Test(t, func(t *testing.T) {
		result, err := in.Install(t.Context(), all.requirements())
		if !errors.Is(err, sources.ErrUnavailable) || len(result.Packages) != 5 {
			t.Errorf("%d packages, %v", len(result.Packages), err)
		}
	})
}
