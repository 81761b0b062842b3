package ocimirror_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// large returns a server whose package for linux is larger than buffers are.
func large(t *testing.T, oci registrytest.OCI, noRanges bool) (*registrytest.Server, []byte) {
	t.Helper()
	release := released("1.0.0")
	release.Executable = make([]byte, 3<<20)
	for i := range release.Executable {
		release.Executable[i] = byte(i * i >> 8)
	}
	release.Archive = func(string) ([]byte, error) { return release.Executable, nil }
	return start(t, registrytest.Config{Releases: []registrytest.Release{release}, OCI: oci, NoRanges: noRanges}), release.Executable
}

// broken is a fault of a blob's first transfer.
func broken(f registrytest.Fault) registrytest.Fault {
	f.Kind, f.Times = registrytest.KindOCIBlob, 1
	return f
}

func TestTransfersGoOnWhereTheyBroke(t *testing.T) {
	t.Parallel()
	for name, oci := range map[string]registrytest.OCI{
		"open": {}, "basic": {Auth: basic()}, "bearer": {Auth: bearer()}, "object store": {Auth: bearer(), BlobHost: "localhost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, want := large(t, oci, false)
			kind := registrytest.KindOCIBlob
			if oci.BlobHost != "" {
				kind = registrytest.KindOCIStorage
			}
			fault(t, s, registrytest.Fault{Kind: kind, Times: 1, CutAt: 1 << 20})
			pkg, err := describe(t, connect(t, s, with(signedIn())))
			if err != nil {
				t.Fatal(err)
			}
			got, err := fetch(t.Context(), pkg)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if sent := sentBytes(s, kind); sent > int64(len(want))+1<<20 {
				t.Errorf("%d bytes were sent for %d", sent, len(want))
			}
		})
	}
}

// sentBytes is how much of archives was sent.
func sentBytes(s *registrytest.Server, kind registrytest.Kind) int64 {
	var sent int64
	for _, r := range s.Requests() {
		if r.Kind == kind {
			sent += r.Bytes
		}
	}
	return sent
}

func TestTransfersWithoutRangesFailAsAnOutage(t *testing.T) {
	t.Parallel()
	s, _ := large(t, registrytest.OCI{}, true)
	fault(t, s, broken(registrytest.Fault{CutAt: 1 << 20}))
	pkg, err := describe(t, connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), pkg); !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
	if _, err := fetch(t.Context(), pkg); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

func TestStalledTransfers(t *testing.T) {
	t.Parallel()
	s, want := large(t, registrytest.OCI{}, false)
	fault(t, s, broken(registrytest.Fault{StallAt: 1 << 20}))
	pkg, err := describe(t, connect(t, s, func(c *ocimirror.Config) { c.Stall = 100 * time.Millisecond }))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(t.Context(), pkg); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestPassingFaultsAreSurvived(t *testing.T) {
	t.Parallel()
	for _, kind := range []registrytest.Kind{registrytest.KindOCITags, registrytest.KindOCIManifest, registrytest.KindOCIBlob, registrytest.KindOCIReferrers} {
		for name, f := range map[string]registrytest.Fault{
			"500": {Status: 500}, "429": {Status: 429, RetryAfter: "1"}, "cut": {CutAt: -1}, "cut in the body": {CutAt: 10},
		} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				t.Parallel()
				s := start(t, registrytest.Config{})
				f.Kind, f.Times = kind, 1
				fault(t, s, f)
				if err := install(t, connect(t, s)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestLastingFaultsAreOutages(t *testing.T) {
	t.Parallel()
	for _, kind := range []registrytest.Kind{registrytest.KindOCITags, registrytest.KindOCIManifest, registrytest.KindOCIBlob, registrytest.KindOCIReferrers} {
		for name, f := range map[string]registrytest.Fault{"500": {Status: 500}, "cut": {CutAt: -1}, "late": {StallAt: -1}} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				t.Parallel()
				s := start(t, registrytest.Config{})
				f.Kind = kind
				fault(t, s, f)
				err := install(t, connect(t, s, func(c *ocimirror.Config) {
					c.Timeout, c.Stall, c.Retries, c.ArchiveRetries = 200*time.Millisecond, 200*time.Millisecond, -1, -1
				}))
				if !errors.Is(err, sources.ErrUnavailable) || errors.Is(err, sources.ErrNotFound) || errors.Is(err, context.Canceled) {
					t.Errorf("error is %v", err)
				}
			})
		}
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	source := connect(t, s)
	s.Close()
	if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
}

// Parts of an archive can be read by themselves where the registry offers it.
func TestRanges(t *testing.T) {
	t.Parallel()
	s, want := large(t, registrytest.OCI{Auth: bearer(), BlobHost: "localhost"}, false)
	pkg, err := describe(t, connect(t, s, with(signedIn())))
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ranger, ok := r.(interface {
		OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error)
	})
	if !ok {
		t.Fatal("the archive has no ranges")
	}
	part, err := ranger.OpenRange(t.Context(), 1<<20, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	if got, err := io.ReadAll(part); err != nil || !bytes.Equal(got, want[1<<20:1<<20+1000]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	mustBeBare(t, s, registrytest.KindOCIStorage)
}

// Archives have connections of their own, so that none waits for another.
func TestArchivesDoNotShareAConnection(t *testing.T) {
	t.Parallel()
	s, _ := large(t, registrytest.OCI{}, false)
	pkg, err := describe(t, connect(t, s, func(c *ocimirror.Config) { c.Client = &http.Client{Transport: http2(s)} }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), pkg); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests() {
		want := "HTTP/2.0"
		if r.Kind == registrytest.KindOCIBlob {
			want = "HTTP/1.1"
		}
		if r.Protocol != want {
			t.Errorf("%s came by %s", r.Kind, r.Protocol)
		}
	}
}

func http2(s *registrytest.Server) *http.Transport {
	transport := trusting(s).Transport.(*http.Transport)
	transport.ForceAttemptHTTP2 = true
	return transport
}
