package installer_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A built-in provider has an event where it has an error, and none where it needs nothing.
func TestEventsOfBuiltInProviders(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.install(require("terraform.io/builtin/terraform", ""))
	f.wantKinds()
	for name, call := range map[string]func(installer.Request) error{
		"Install": func(req installer.Request) error { _, err := f.in.Install(t.Context(), req); return err },
		"Resolve": func(req installer.Request) error { _, err := f.in.Resolve(t.Context(), req); return err },
		"Lock":    func(req installer.Request) error { _, err := f.in.Lock(t.Context(), req, nil); return err },
	} {
		err := f.call(func() error { return call(require("terraform.io/builtin/terraform", "1.0.0")) })
		var failure *installer.ProviderError
		if !errors.As(err, &failure) || failure.Phase != installer.PhaseResolve {
			t.Errorf("%s: error is %v", name, err)
		}
		f.wantKinds(installer.EventFailed)
	}
}

// Lock tells of each package once, whether its hashes are published or it is fetched.
func TestEventsOfLock(t *testing.T) {
	t.Parallel()
	f := setup(t, fourfold(release("acme/alpha", "1.0.0")))
	req := require("acme/alpha", "")
	locks, err := f.lock(req, append(slices.Clone(fourPlatforms), fourPlatforms...))
	if err != nil {
		t.Fatal(err)
	}
	want := chose(installer.EventLocked, installer.EventLocked, installer.EventLocked, installer.EventLocked)
	f.wantKinds(want...)
	if got := schemes(locks[provider("acme/alpha")].Hashes); got["zh"] != 4 {
		t.Errorf("hashes are %v", got)
	}
	if _, err := f.lock(complete(req), fourPlatforms[:1]); err != nil {
		t.Fatal(err)
	}
	f.wantKinds(chose(installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventLocked)...)
	if _, err := f.lock(req, []sources.Platform{{OS: "plan9", Arch: "386"}}); err == nil {
		t.Fatal("a platform without a package was locked")
	}
	f.wantKinds(chose(installer.EventFailed)...)
}

// lock locks, and checks the events.
func (f *fixture) lock(req installer.Request, platforms []sources.Platform) (locks installer.Locks, err error) {
	err = f.call(func() error {
		locks, err = f.in.Lock(f.Context(), req, platforms)
		return err
	})
	return locks, err
}

// When the context ends, the sequence of each provider does.
func TestEventsOfACancelledCall(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"), release("acme/gamma", "1.0.0"))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, StallAt: 1000})
	ctx, cancel := context.WithCancel(t.Context())
	f.on(installer.EventFetching, func(installer.Event) { cancel() })
	err := f.call(func() error {
		_, err := f.in.Install(ctx, require("acme/alpha", "", "acme/beta", "", "acme/gamma", ""))
		return err
	})
	var all *installer.Error
	if !errors.As(err, &all) || len(all.Failures) != 3 || !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	failed := slices.DeleteFunc(f.kinds(), func(kind installer.EventKind) bool { return kind != installer.EventFailed })
	if len(failed) != 3 {
		t.Errorf("%d have failed", len(failed))
	}
}

// A call that is refused as a whole has no events.
func TestRefusedCallsHaveNoEvents(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	alpha := provider("acme/alpha")
	path, linux := filepath.Join(t.TempDir(), "archive.zip"), fourPlatforms[0]
	readonly := require("acme/alpha", "")
	readonly.Readonly = true
	for name, call := range map[string]func() error{
		"read-only":       func() error { _, err := f.in.Install(t.Context(), readonly); return err },
		"Lock, read-only": func() error { _, err := f.in.Lock(t.Context(), readonly, nil); return err },
		"Lock, no platform": func() error {
			_, err := f.in.Lock(t.Context(), require("acme/alpha", ""), []sources.Platform{{}})
			return err
		},
		"Get, built in": func() error { _, err := f.in.Get(t.Context(), "terraform.io/builtin/terraform", ""); return err },
		"Fetch, no provider": func() error {
			_, err := f.in.Fetch(t.Context(), sources.Provider{}, version("1.0.0"), linux, path)
			return err
		},
		"Fetch, built in": func() error {
			_, err := f.in.Fetch(t.Context(), provider("terraform.io/builtin/terraform"), version("1.0.0"), linux, path)
			return err
		},
		"Fetch, no path": func() error { _, err := f.in.Fetch(t.Context(), alpha, version("1.0.0"), linux, ""); return err },
		"Fetch, a directory": func() error {
			_, err := f.in.Fetch(t.Context(), alpha, version("1.0.0"), linux, t.TempDir())
			return err
		},
		"Fetch, no version": func() error { _, err := f.in.Fetch(t.Context(), alpha, sources.Version{}, linux, path); return err },
		"Fetch, no platform": func() error {
			_, err := f.in.Fetch(t.Context(), alpha, version("1.0.0"), sources.Platform{}, path)
			return err
		},
	} {
		err := f.call(call)
		var field *sources.FieldError
		var mustNot *installer.ReadonlyError
		var failed *installer.Error
		if !errors.As(err, &field) && !errors.As(err, &mustNot) || errors.As(err, &failed) {
			t.Errorf("%s: error is %v", name, err)
		}
		f.wantKinds()
	}
	f.wantRequests(0)
}
