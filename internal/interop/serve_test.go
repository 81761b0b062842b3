package interop_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const serveToken = "mirror-secret"

// serveHandler is a mirror before the world's registry, which only those may use who have the token.
func serveHandler(t *testing.T, w *world, store string) *httptest.Server {
	t.Helper()
	source := w.source()
	in := &installer.Installer{Source: source}
	h, err := netmirror.NewHandler(netmirror.HandlerConfig{
		Source: source, Store: store, Authorize: netmirror.BearerTokens(serveToken),
		Fetch: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
			a, err := in.Fetch(ctx, p, v, on, path)
			if err != nil {
				return sources.Release{}, err
			}
			return sources.Release{Provider: p, Version: v, Archives: []sources.Archive{a.Publishable()}, Statement: a.Statement}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	srv := httptest.NewTLSServer(http.StripPrefix("/providers", h))
	t.Cleanup(srv.Close)
	return srv
}

// serveConfig makes the world's client install from the server, and from nowhere else.
func serveConfig(t *testing.T, w *world, srv *httptest.Server) {
	t.Helper()
	host := strings.TrimPrefix(srv.URL, "https://")
	text := w.srv.InstallationConfig(registrytest.Method{Type: registrytest.MethodNetworkMirror, URL: srv.URL + "/providers/"}) +
		"credentials \"" + host + "\" {\n  token = \"" + serveToken + "\"\n}\n"
	dir := t.TempDir()
	env, err := w.srv.EnvironConfig(dir, text)
	if err != nil {
		t.Fatal(err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), ca, 0o600); err != nil { // the registry's own is not to be trusted
		t.Fatal(err)
	}
	w.env = append(w.env, env...)
}

func TestServedToClients(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, store := twoToMirror(t, c).world, t.TempDir()
		serveConfig(t, w, serveHandler(t, w, store))
		first := w.module(t, files{"main.tf": requires(rocket, idnRocket)})
		first.run(t, "init")
		checkPackages(t, first, "")
		if got := w.downloads(); got != 2 {
			t.Errorf("%d downloads for two packages", got)
		}
		w.srv.ResetRequests()
		again := w.module(t, files{"main.tf": requires(rocket, idnRocket)})
		again.run(t, "init")
		if got := w.downloads(); got != 0 {
			t.Errorf("%d downloads for packages that the mirror has", got)
		}
		if again.lock(t) != first.lock(t) {
			t.Errorf("the lock file depends on what was in the store:\n%s\n%s", first.lock(t), again.lock(t))
		}
	})
}

// With a lock file of ours, which has the hashes of all platforms, the client changes nothing.
func TestServedToClientsWithALockFile(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, store := twoToMirror(t, c).world, t.TempDir()
		m := w.module(t, files{"main.tf": requires(rocket, idnRocket)})
		init := w.init(m)
		if _, err := init.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(m.dir, ".terraform")); err != nil {
			t.Fatal(err)
		}
		serveConfig(t, w, serveHandler(t, w, store))
		unchanged(t, m, func() { m.run(t, "init", "-lockfile=readonly") })
	})
}

// What was served once is served when the registry is gone, by another process of the mirror, too.
func TestServedWithoutTheOrigin(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, store := twoToMirror(t, c).world, t.TempDir()
		serveConfig(t, w, serveHandler(t, w, store))
		w.module(t, files{"main.tf": requires(rocket, idnRocket)}).run(t, "init")
		w.srv.Close()
		serveConfig(t, w, serveHandler(t, w, store))
		m := w.module(t, files{"main.tf": requires(rocket, idnRocket)})
		m.run(t, "init")
		checkPackages(t, m, "")
		if _, err := lockfile.Read(m.lockFile()); err != nil {
			t.Error(err)
		}
	})
}
