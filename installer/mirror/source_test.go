package mirror_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// from is a builder that fills this mirror from a directory.
func (f *fixture) from(dir string) *builder {
	return watch(f.T, &mirror.Builder{Installer: &installer.Installer{Source: fsmirror.New(dir)}, Target: fsmirror.NewTarget(f.dir), Scratch: f.builder.Scratch})
}

// served is the network mirror that a plain file server makes of a directory.
func served(t *testing.T, dir string) sources.Source {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	source, err := netmirror.New(netmirror.Config{URL: srv.URL + "/", Client: srv.Client(), Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// A mirror of a mirror is the same mirror, and has the signature of the origin.
func TestMirrorOfAMirror(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	r := release("acme/rocket", "1.0.0", four...)
	r.Signer = signer
	f := setup(t, r)
	f.build(plan(want("", 0)))
	want1 := tree(t, f.dir)
	first := f.dir
	for name, source := range map[string]sources.Source{"a directory": fsmirror.New(first), "a file server": served(t, first)} {
		f.dir = t.TempDir()
		b := f.from(first)
		b.Installer.Source = source
		b.Installer.Policy.RequireSignature = true
		var refused *installer.PolicyError
		if _, err := b.Build(t.Context(), plan(want("", 0))); !errors.As(err, &refused) || refused.Rule != "RequireSignature" {
			t.Errorf("%s: the error is %v", name, err)
		}
		if _, err := f.again().Build(t.Context(), plan(want("", 0))); err != nil { // from the registry itself
			t.Fatal(err)
		}
		if _, err := b.Build(t.Context(), plan(want("", 0))); !errors.As(err, &refused) || refused.Rule != "RequireSignature" {
			t.Errorf("%s: what is there already is taken: %v", name, err)
		}
		f.dir = t.TempDir()
		b.Target = fsmirror.NewTarget(f.dir)
		b.Installer.Policy.Signers = []string{signer.Fingerprint()}
		report, err := b.Build(t.Context(), plan(want("", 0)))
		if err != nil || report.Releases[0].Authority != "signed" || !report.Releases[0].Signed {
			t.Fatalf("%s: the report is %+v, %v", name, report, err)
		}
		if diff := cmp.Diff(want1, tree(t, f.dir)); diff != "" {
			t.Errorf("%s: the mirrors differ: %s", name, diff)
		}
	}
}

// Packages of one version that come with different signed checksums cannot all be vouched for.
func TestTwoStatements(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", darwin))
	other := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{release("acme/rocket", "1.0.0", linux)}})
	f.builder.Installer.Source = sources.Chain{{Source: registry(f.srv)}, {Source: registry(other)}}
	report, err := f.builder.Build(t.Context(), mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{darwin, linux}})
	var statement *sources.StatementError
	if e := failure(t, err); !errors.As(e, &statement) || e.Platform != linux {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"rocket 1.0.0 added darwin"}, summary(report)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyUnpackedPackages(t *testing.T) {
	t.Parallel()
	srv := registrytest.New(t, registrytest.Config{Releases: rockets("1.0.0")})
	origin := t.TempDir()
	if err := srv.WriteMirror(origin, registrytest.Unpacked, host+"/acme/rocket"); err != nil {
		t.Fatal(err)
	}
	f := setup(t)
	p := plan(want("", 0))
	p.Platforms = p.Platforms[:1]
	if _, err := f.from(origin).Build(t.Context(), p); !errors.Is(err, installer.ErrNoArchive) {
		t.Errorf("the error is %v", err)
	}
}

// harbour is a registry for OCI artifacts, and returns new targets for it.
func harbour(t *testing.T) func() sources.Target {
	t.Helper()
	registry := registrytest.New(t, registrytest.Config{OCI: registrytest.OCI{Empty: true}})
	return func() sources.Target {
		to, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: ocimirror.Config{Client: registry.Client(), Repository: func(p sources.Provider) (string, string, error) {
			return registry.Host(), "mirror/" + p.Namespace() + "/" + p.Type(), nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
}

// A registry that has unsigned packages gets the signature, without any download, when the source has one.
func TestOCITargetGetsTheSignatureLater(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	origin, target := t.TempDir(), harbour(t)
	if err := f.srv.WriteMirror(origin, registrytest.Packed, host+"/acme/rocket"); err != nil {
		t.Fatal(err)
	}
	for i, b := range []*builder{f.from(origin), f.again(), f.again(), f.from(origin)} {
		b.Target = target()
		report, err := b.Build(t.Context(), plan(want("", 0)))
		if err != nil {
			t.Fatal(err)
		}
		if r := report.Releases[0]; r.Signed != (i > 0) || len(r.Added)+len(r.Present) != 4 || (i > 0) != (len(r.Present) == 4) {
			t.Errorf("build %d: the report is %+v", i, r)
		}
		if n := f.downloads(); n != 0 {
			t.Errorf("build %d: %d downloads", i, n)
		}
	}
}

// A registry for OCI artifacts gets only what it lacks.
func TestOCITarget(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	target := harbour(t)
	p := plan(want("", mirror.All))
	p.Platforms = four[:2]
	for i, want := range [][]string{
		{"rocket 1.1.0 added darwin,linux", "rocket 1.0.0 added darwin,linux"},
		{"rocket 1.1.0 present darwin,linux", "rocket 1.0.0 present darwin,linux"},
	} {
		b := f.again()
		b.Target = target()
		report, err := b.Build(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, summary(report)); diff != "" {
			t.Error(diff)
		}
		if n := f.downloads(); n != 4*(1-i) {
			t.Errorf("%d downloads", n)
		}
	}
	p.Platforms = four
	p.Wants[0].Latest = 0
	b := f.again()
	b.Target = target()
	report, err := b.Build(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	r := report.Releases[0]
	if diff := cmp.Diff([][]sources.Platform{four[2:], four[:2]}, [][]sources.Platform{r.Added, r.Present}); diff != "" || !r.Signed {
		t.Errorf("the report is %+v", r)
	}
	if n := f.downloads(); n != 2 {
		t.Errorf("%d downloads, want 2", n)
	}
	if _, err := b.Prune(t.Context(), p); !isNotPrunable(err) {
		t.Errorf("the error is %v", err)
	}
}

func isNotPrunable(err error) bool {
	var not *mirror.NotPrunableError
	return errors.As(err, &not)
}
