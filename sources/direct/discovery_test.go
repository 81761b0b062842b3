package direct_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// discoveryBody is a fault that replaces the discovery document.
func discoveryBody(body string) registrytest.Fault {
	return registrytest.Fault{Kind: registrytest.KindDiscovery, Body: []byte(body), ContentType: "application/json"}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fault func(s *registrytest.Server) []registrytest.Fault
	}{
		{"relative", func(*registrytest.Server) []registrytest.Fault {
			return []registrytest.Fault{discoveryBody(`{"providers.v1": "../v1/providers/"}`)}
		}},
		{"absolute", func(s *registrytest.Server) []registrytest.Fault {
			return []registrytest.Fault{discoveryBody(`{"providers.v1": "` + s.URL() + `/v1/providers/#fragment"}`)}
		}},
		{"on another origin", func(s *registrytest.Server) []registrytest.Fault {
			return []registrytest.Fault{discoveryBody(`{"providers.v1": "` + strings.Replace(s.URL(), "127.0.0.1", "localhost", 1) + `/v1/providers/"}`)}
		}},
		{"other services", func(*registrytest.Server) []registrytest.Fault {
			return []registrytest.Fault{discoveryBody(`{"modules.v1": null, "login.v1": {"x": []}, "providers.v1": "/v1/providers/"}`)}
		}},
		{"parameters and white space", func(*registrytest.Server) []registrytest.Fault {
			f := discoveryBody(strings.Repeat(" \n", 100) + `{"providers.v1": "/v1/providers/"}` + "\n")
			f.ContentType = `application/json; charset="utf-8"`
			return []registrytest.Fault{f}
		}},
		{"redirected, relative to the end", func(*registrytest.Server) []registrytest.Fault {
			return []registrytest.Fault{
				{Kind: registrytest.KindDiscovery, Redirect: "/v1/moved/services.json"},
				{Path: "/v1/moved/services.json", Body: []byte(`{"providers.v1": "../providers/"}`), ContentType: "application/json"},
			}
		}},
		{"second attempt", func(*registrytest.Server) []registrytest.Fault {
			return []registrytest.Fault{{Kind: registrytest.KindDiscovery, Status: 502, Times: 1}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			for _, fault := range c.fault(s) {
				misbehave(t, s, fault)
			}
			listing, err := connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
			if err != nil || len(listing.Versions) != 1 {
				t.Errorf("listing = %v, %v", listing, err)
			}
		})
	}
}

func TestBadDiscoveryDocuments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault registrytest.Fault
		is    error
	}{
		"media type":       {registrytest.Fault{ContentType: "text/html", Body: []byte(`{"providers.v1": "/"}`)}, sources.ErrMalformed},
		"not JSON":         {discoveryBody("<html>"), sources.ErrMalformed},
		"empty":            {discoveryBody(""), sources.ErrMalformed},
		"array":            {discoveryBody(`[{"providers.v1": "/"}]`), sources.ErrMalformed},
		"null":             {discoveryBody(`null`), sources.ErrMalformed},
		"cut":              {discoveryBody(`{"providers.v1": "/`), sources.ErrMalformed},
		"more than one":    {discoveryBody(`{"providers.v1": "/"} {}`), sources.ErrMalformed},
		"service no URL":   {discoveryBody(`{"providers.v1": "https://example.com/%zz"}`), sources.ErrMalformed},
		"service null":     {discoveryBody(`{"providers.v1": null}`), sources.ErrMalformed},
		"service object":   {discoveryBody(`{"providers.v1": {"url": "/"}}`), sources.ErrMalformed},
		"service empty":    {discoveryBody(`{"providers.v1": ""}`), sources.ErrMalformed},
		"internal error":   {registrytest.Fault{Status: 500}, sources.ErrUnavailable},
		"unauthorized":     {registrytest.Fault{Status: 401}, sources.ErrUnauthorized},
		"connection broke": {registrytest.Fault{CutAt: -1}, sources.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			c.fault.Kind = registrytest.KindDiscovery
			misbehave(t, s, c.fault)
			p := provider(t, s, "acme/alpha")
			_, err := connect(s, nil).Versions(t.Context(), p)
			var discovery *direct.DiscoveryError
			if !errors.As(err, &discovery) || discovery.Host != p.Host() || !errors.Is(err, c.is) || errors.Is(err, sources.ErrNotFound) {
				t.Errorf("error = %v, want a DiscoveryError that is %v", err, c.is)
			}
		})
	}
}

func TestDiscoveryDocumentTooLarge(t *testing.T) {
	t.Parallel()
	s := start(t)
	var sent atomic.Int64
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindDiscovery, Hook: func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"a": "`)
		for part := bytes.Repeat([]byte("x"), 64<<10); sent.Load() < 100<<20; {
			n, err := w.Write(part)
			sent.Add(int64(n))
			if err != nil {
				break
			}
		}
		return true
	}})
	_, err := connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
	if !errors.Is(err, sources.ErrTooLarge) || s.Count(registrytest.KindDiscovery) != 1 {
		t.Errorf("error = %v after %d requests, want ErrTooLarge after 1", err, s.Count(registrytest.KindDiscovery))
	}
	if n := sent.Load(); n > 20<<20 {
		t.Errorf("the client took %d bytes", n)
	}
}

func TestDiscoveryRedirectLoop(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindDiscovery, RedirectLoop: true})
	_, err := connect(s, nil).Versions(t.Context(), provider(t, s, "acme/alpha"))
	var discovery *direct.DiscoveryError
	if !errors.As(err, &discovery) || !strings.Contains(err.Error(), "too many redirects") {
		t.Errorf("error = %v", err)
	}
	if n := s.Count(registrytest.KindDiscovery); n > 10 {
		t.Errorf("%d requests", n)
	}
}

func TestOneDiscoveryForAllProvidersOfAHost(t *testing.T) {
	t.Parallel()
	var releases []registrytest.Release
	for i := range 50 {
		releases = append(releases, registrytest.Release{Provider: fmt.Sprintf("acme/p%d", i), Version: "1.0.0", Platforms: []string{"linux_amd64"}})
	}
	s := registrytest.New(t, registrytest.Config{Releases: releases, Latency: 10 * time.Millisecond})
	source := connect(s, nil)
	var wait sync.WaitGroup
	for i := range 50 {
		p := provider(t, s, fmt.Sprintf("acme/p%d", i))
		wait.Go(func() {
			if _, err := source.Versions(t.Context(), p); err != nil {
				t.Error(err)
			}
			if _, err := source.Package(t.Context(), p, v1, linux); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := s.Count(registrytest.KindDiscovery); n != 1 {
		t.Errorf("%d discovery requests", n)
	}
}

func TestFailedDiscoveryIsNotRemembered(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]registrytest.Fault{
		"outage":   {Status: 503},
		"absence":  {Status: 404},
		"bad":      discoveryBody("[]"),
		"no entry": discoveryBody("{}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			fault.Kind, fault.Times = registrytest.KindDiscovery, 1
			misbehave(t, s, fault)
			source := connect(s, func(c *direct.Config) { c.Retries = -1 })
			p := provider(t, s, "acme/alpha")
			if _, err := source.Versions(t.Context(), p); err == nil {
				t.Error("no error at first")
			}
			if _, err := source.Versions(t.Context(), p); err != nil {
				t.Errorf("still: %v", err)
			}
		})
	}
}

func TestDiscoveryOfACallerWhoLeaves(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindDiscovery, Times: 1, Hook: func(_ http.ResponseWriter, r *http.Request) bool {
		cancel()
		<-r.Context().Done()
		return true
	}})
	source := connect(s, nil)
	p := provider(t, s, "acme/alpha")
	if _, err := source.Versions(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want Canceled", err)
	}
	if _, err := source.Versions(t.Context(), p); err != nil {
		t.Errorf("the next caller gets %v", err)
	}
}
