package interop_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/internal/slowlink"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const ociLarge = 12 << 20 // bytes of an archive

// largeWorld has a version with archives of about that size.
func largeWorld(t *testing.T, platforms ...string) *ociWorld {
	t.Helper()
	archive := func(platform string) ([]byte, error) {
		var data bytes.Buffer
		err := writeArchive(&data, ociLarge, platform)
		return data.Bytes(), err
	}
	return newOCIWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.0.0", Platforms: platforms, Archive: archive}}})
}

// writeArchive makes a package of a size, with a content that no compression makes smaller.
func writeArchive(to io.Writer, size int64, seed string) error {
	archive := zip.NewWriter(to)
	header := &zip.FileHeader{Name: "terraform-provider-rocket_v1.0.0", Method: zip.Store}
	header.SetMode(0o755)
	file, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := io.CopyN(file, rand.NewChaCha8(sha256.Sum256([]byte(seed))), size); err != nil {
		return err
	}
	return archive.Close()
}

// Where connections break in the middle of an archive, the rest is fetched: on one connection, each byte is sent once.
func TestInstallGoesOnAfterCuts(t *testing.T) {
	t.Parallel()
	w := largeWorld(t, here)
	size := w.publish(t, rocket, "1.0.0", here).Uploaded.Bytes
	for connections, more := range map[int]int64{
		1: 256 << 10, // documents, handshakes, and the records of TLS that a cut tears
		4: size,      // also what is on its way when a connection is no longer needed
	} {
		network := newRelay(t, w.oci.address, slowlink.Link{})
		w.forget(t)
		const cuts, after = 3, 2 << 20
		network.toClient.cut(cuts, after)
		m := w.module(t, files{"main.tf": requires(rocket)}).sharing(t.TempDir())
		init := client.Init{Dir: m.dir, CacheDir: m.cache, Source: w.reader(t, network.address), Connections: connections}
		if _, err := init.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkPackages(t, m, m.cache)
		if left := network.toClient.cuts.Load(); left == cuts || connections == 1 && left > 0 {
			t.Errorf("%d connections: %d of %d cuts did not happen", connections, left, cuts)
		}
		passed := network.toClient.passed.Load()
		t.Logf("%d connections: %d bytes for an archive of %d", connections, passed, size)
		if passed < size || passed > size+more {
			t.Errorf("%d connections: %d bytes were sent for an archive of %d", connections, passed, size)
		}
		if parts := count206(w.oci.requests(t)); parts == 0 {
			t.Errorf("%d connections: no part was asked for", connections)
		}
	}
}

func count206(requests []ociRequest) (n int) {
	for _, q := range requests {
		if q.status == http.StatusPartialContent {
			n++
		}
	}
	return n
}

// An upload that a passing failure cuts off begins again by itself.
func TestPublishingSurvivesACut(t *testing.T) {
	t.Parallel()
	w := largeWorld(t, here)
	release := w.release(t, rocket, "1.0.0", here)
	network := newRelay(t, w.oci.address, slowlink.Link{})
	network.toHost.cut(1, 5<<20)
	if _, err := w.target(t, network.address).Push(t.Context(), release); err != nil {
		t.Fatal(err)
	}
	if network.toHost.cuts.Load() != 0 {
		t.Error("nothing was cut off")
	}
	w.checkOffer(t, "1.0.0", here)
}

// A release that was cut off is not visible, and is completed by publishing it again: whole archives that have arrived are
// not sent again.
func TestPublishingGoesOnAfterACut(t *testing.T) {
	t.Parallel()
	const first, second = "darwin_arm64", "linux_amd64"
	w := largeWorld(t, first, second)
	release := w.release(t, rocket, "1.0.0", first, second)
	small := sources.Release{Provider: release.Provider, Version: sources.MustParseVersion("0.1.0"), Archives: release.Archives[:1]}
	w.push(t, small) // so that it is certain which archive is there
	network := newRelay(t, w.oci.address, slowlink.Link{})
	network.toHost.cut(1, 5<<20)
	config := w.config(t, network.address)
	config.ArchiveRetries = -1
	_, err := newTarget(t, config).Push(t.Context(), release)
	if !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
	w.raw(t, http.MethodGet, rocketRepository+"/manifests/1.0.0", http.StatusNotFound)

	pushed := w.push(t, release)
	if pushed.Uploaded.Count == 0 || pushed.Reused.Count == 0 || pushed.Uploaded.Bytes > ociLarge+ociLarge/2 {
		t.Errorf("published is %+v", pushed)
	}
	w.checkOffer(t, "1.0.0", first, second)
}
