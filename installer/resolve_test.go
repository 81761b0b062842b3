package installer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestResolveFetchesOnlyLists(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/alpha", "2.0.0-beta1"), release("acme/beta", "0.9.0"))
	resolution, err := f.in.Resolve(t.Context(), require("acme/alpha", "", "acme/beta", ">= 0.1"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range resolution.Selections {
		got = append(got, s.Provider.Type()+" "+s.Version.String())
	}
	if want := []string{"alpha 1.0.0", "beta 0.9.0"}; !slices.Equal(got, want) {
		t.Errorf("selected %v, want %v", got, want)
	}
	f.wantRequests(3) // discovery and two lists
	f.wantNothingInstalled()
}

func TestResolveNeedsNoDirectories(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	in := &installer.Installer{Source: f.source()}
	if _, err := in.Resolve(t.Context(), require("acme/alpha", "")); err != nil {
		t.Error(err)
	}
}

func TestNoMatchSaysWhichVersionsExist(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/alpha", "1.1.0-rc1"))
	_, err := f.in.Resolve(t.Context(), require("acme/alpha", "~> 2.0"))
	var none *installer.NoMatchError
	if !errors.As(err, &none) || !slices.Equal(none.Available, []sources.Version{version("1.0.0"), version("1.1.0-rc1")}) {
		t.Fatalf("error is %v", err)
	}
	for _, part := range []string{"acme/alpha", "~> 2.0", "1.1.0-rc1, 1.0.0"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not mention %q", err, part)
		}
	}
}

func TestAnUnknownProviderIsNotFound(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	_, err := f.in.Resolve(t.Context(), require("acme/omega", ""))
	if !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error is %v", err)
	}
	if strings.Count(err.Error(), host+"acme/omega") != 1 {
		t.Errorf("the provider is not named exactly once: %v", err)
	}
}

// A newest version without the platform is an error that names the newest one that would do.
func TestAnUnsupportedPlatformNamesAWayOut(t *testing.T) {
	t.Parallel()
	elsewhere := release("acme/alpha", "1.2.0")
	elsewhere.Platforms = []string{"plan9_mips", "aix_ppc64"}
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/alpha", "1.1.0"), elsewhere)
	_, err := f.installError(require("acme/alpha", ""))
	var unusable *installer.UnusableError
	var platform *sources.PlatformError
	if !errors.As(err, &unusable) || !errors.As(err, &platform) {
		t.Fatalf("error is %v", err)
	}
	if unusable.Usable != version("1.1.0") {
		t.Errorf("suggested version is %s, want 1.1.0", unusable.Usable)
	}
	if want := "aix_ppc64, plan9_mips"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not list the platforms %q", err, want)
	}

	req := require("acme/alpha", "")
	req.OnlyUsable = true
	if v := f.install(req).Packages[0].Selection.Version; v != version("1.1.0") {
		t.Errorf("OnlyUsable selected %s, want 1.1.0", v)
	}
}

func TestAnUnsupportedProtocolNamesAWayOut(t *testing.T) {
	t.Parallel()
	future := release("acme/alpha", "2.0.0")
	future.Protocols = []string{"7.0", "4.1"}
	f := setup(t, release("acme/alpha", "1.0.0"), future)
	_, err := f.installError(require("acme/alpha", ""))
	var unusable *installer.UnusableError
	var protocol *sources.ProtocolError
	if !errors.As(err, &unusable) || !errors.As(err, &protocol) || unusable.Usable != version("1.0.0") {
		t.Fatalf("error is %v", err)
	}
	if n := f.srv.Count(registrytest.KindArchive); n != 0 {
		t.Error("the archive was fetched all the same")
	}
	f.wantNothingInstalled()
}

func TestOnlyUsableWithNothingUsable(t *testing.T) {
	t.Parallel()
	elsewhere := release("acme/alpha", "1.2.0")
	elsewhere.Platforms = []string{"plan9_mips"}
	f := setup(t, elsewhere)
	req := require("acme/alpha", "")
	req.OnlyUsable = true
	_, err := f.in.Resolve(t.Context(), req)
	var unusable *installer.UnusableError
	if !errors.As(err, &unusable) || unusable.Version != version("1.2.0") || !unusable.Usable.IsZero() {
		t.Errorf("error is %v", err)
	}
}

func TestWarningsOfTheRegistryReachTheCaller(t *testing.T) {
	t.Parallel()
	r := release("acme/alpha", "1.0.0")
	r.Warnings = []string{"this provider has moved"}
	f := setup(t, r, release("acme/alpha", "99999999999999999999999.0.0"))
	f.install(require("acme/alpha", ""))
	var warnings []string
	for _, e := range f.events {
		if e.Kind == installer.EventWarning {
			warnings = append(warnings, e.Message)
		}
	}
	if len(warnings) != 2 || !slices.Contains(warnings, "this provider has moved") {
		t.Errorf("warnings are %q, want the registry's and one about the impossible version", warnings)
	}
}

// With a chain, the selection says what each source had; so does the error when nothing matches.
func TestAChainsAccountReachesTheCaller(t *testing.T) {
	t.Parallel()
	near, far := setup(t, release("acme/alpha", "1.0.0")), setup(t, release("acme/alpha", "1.1.0"), release("acme/alpha", "1.0.0"))
	in := &installer.Installer{Source: sources.Chain{{Source: near.source()}, {Source: far.source()}}}
	resolution, err := in.Resolve(t.Context(), require("acme/alpha", ""))
	if err != nil {
		t.Fatal(err)
	}
	s := resolution.Selections[0]
	if s.Version != version("1.1.0") || len(s.From) != 1 || len(s.Asked) != 2 || len(s.Asked[0].Versions) != 1 || len(s.Asked[1].Versions) != 2 {
		t.Errorf("selection is %+v", s)
	}
	_, err = in.Resolve(t.Context(), require("acme/alpha", "> 2.0"))
	var none *installer.NoMatchError
	if !errors.As(err, &none) || len(none.Asked) != 2 {
		t.Errorf("error is %v, asked %+v", err, none)
	}
}
