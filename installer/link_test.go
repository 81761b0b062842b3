package installer_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/slowlink"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// setupLink has the registry behind a link whose connections can be counted.
func setupLink(t *testing.T, link slowlink.Link, releases ...registrytest.Release) (*fixture, *slowlink.Listener) {
	t.Helper()
	var listener *slowlink.Listener
	f := setupConfig(t, registrytest.Config{Releases: releases, WrapListener: func(inner net.Listener) net.Listener {
		listener = link.Listen(inner)
		return listener
	}})
	return f, listener
}

// Over a real network connection the archive comes on several connections, each of which breaks again and again.
func TestSeveralConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	f, _ := setupLink(t, slowlink.Link{BytesPerSecond: 2 << 20}, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: size})
	f.in.SegmentSize = 512 << 10
	if err := f.srv.AddFault(registrytest.Fault{Kind: registrytest.KindArchive, CutAt: 200_000}); err != nil {
		t.Fatal(err)
	}
	pkg := f.install(require("acme/alpha", "")).Packages[0]
	tree, err := hashing.Dir(t.Context(), pkg.Dir)
	if err != nil || tree != pkg.Proof.Computed.Tree || pkg.Proof.Authority != hashing.Signed {
		t.Errorf("what is installed is %s, %+v (%v)", tree, pkg.Proof, err)
	}
	ports := map[string]bool{}
	for _, r := range f.srv.Requests() {
		if r.Kind == registrytest.KindArchive {
			ports[r.RemoteAddr] = true
		}
	}
	if cuts := int(pkg.Downloaded / (512 << 10)); len(ports) < cuts {
		t.Errorf("there were %d connections, want at least %d, since each breaks after 200 kB of a part", len(ports), cuts)
	}
}

// However many providers are required, a server is not flooded.
func TestFiveHundredProviders(t *testing.T) {
	t.Parallel()
	providers := 500
	if raceDetector {
		providers = 100 // everything takes ten times as long
	}
	releases := make([]registrytest.Release, providers)
	req := installer.Request{Requirements: installer.Requirements{}}
	for i := range releases {
		address := fmt.Sprintf("acme/p%d", i)
		releases[i] = registrytest.Release{Provider: address, Version: "1.0.0"}
		req.Requirements[provider(address)] = sources.Constraints{}
	}
	f, listener := setupLink(t, slowlink.Link{Delay: time.Millisecond}, releases...)
	if installed := f.install(req).Packages; len(installed) != providers {
		t.Errorf("%d packages were installed", len(installed))
	}
	connections := listener.Connections()
	t.Logf("connections: %+v", connections)
	if limit := 2 * web.MaxConnectionsPerHost; connections.Most > limit {
		t.Errorf("there were %d connections at a time, want at most %d", connections.Most, limit)
	}
}
