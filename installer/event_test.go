package installer_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestEventsTellTheWholeStory(t *testing.T) {
	t.Parallel()
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 4 << 20})
	req := require("acme/alpha", "")
	req.Locks = f.install(req).Locks

	var size int64
	for _, e := range f.events {
		switch e.Kind {
		case installer.EventFetching:
			size = e.Size
		case installer.EventProgress:
			if e.Size != size || e.Bytes > size {
				t.Errorf("progress is %d of %d bytes, of %d", e.Bytes, e.Size, size)
			}
		case installer.EventVerified:
			if e.Proof == nil {
				t.Error("verified without proof")
			}
		}
	}
	progress := slices.DeleteFunc(slices.Clone(f.events), func(e installer.Event) bool { return e.Kind != installer.EventProgress })
	if last := progress[len(progress)-1]; last.Bytes != size {
		t.Errorf("the last progress is %d of %d bytes", last.Bytes, size)
	}
	f.kinds()

	f.install(req)
	f.wantKinds(installer.EventResolving, installer.EventResolved, installer.EventPresent)
	f.in.Dir = t.TempDir()
	f.install(req)
	f.wantKinds(installer.EventResolving, installer.EventResolved, installer.EventCacheHit, installer.EventInstalled)
	_, _ = f.in.Install(t.Context(), require("acme/omega", ""))
	f.wantKinds(installer.EventResolving, installer.EventFailed)
}

func TestLogRecords(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	var log bytes.Buffer
	f.in.Logger = slog.New(slog.NewTextHandler(&log, nil))
	f.install(require("acme/alpha", ""))
	_, _ = f.in.Install(t.Context(), require("acme/omega", ""))
	for _, want := range []string{
		`level=INFO msg="provider installed" provider=registry.example.com/acme/alpha version=1.0.0`,
		`level=ERROR msg="provider failed" provider=registry.example.com/acme/omega`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines != 2 {
		t.Errorf("at the default level the log has %d lines:\n%s", lines, log.String())
	}
}

// Checksums and signature are fetched while the archive is: a registry that is slow with one does not delay the other.
func TestChecksumsAreFetchedBesideTheArchive(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	kinds := []registrytest.Kind{registrytest.KindArchive, registrytest.KindSums, registrytest.KindSignature}
	for _, kind := range kinds { // nobody is answered before everybody has asked
		f.fault(registrytest.Fault{Kind: kind, Hook: func(http.ResponseWriter, *http.Request) bool {
			for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if f.srv.Count(kinds[0])*f.srv.Count(kinds[1])*f.srv.Count(kinds[2]) > 0 {
					return false
				}
			}
			t.Errorf("the request for the %s was alone", kind)
			return false
		}})
	}
	f.install(require("acme/alpha", ""))
}
