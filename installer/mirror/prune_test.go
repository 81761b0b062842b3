package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func texts(all []mirror.Surplus) []string {
	var found []string
	for _, s := range all {
		found = append(found, s.Provider.Type()+" "+s.Version.String()+" "+join(s.Platforms))
	}
	return found
}

func TestPrune(t *testing.T) {
	t.Parallel()
	f := setup(t, append(rockets("1.0.0", "1.1.0", "2.0.0"), release("acme/anvil", "0.1.0", four...))...)
	f.build(plan(want("", mirror.All), mirror.Want{Provider: anvil}))
	// What is nobody's business stays.
	foreign := []string{"README", filepath.Join(host, "acme", "rocket", "notes.txt"), filepath.Join(host, "acme", "rocket", "1.0.0", "linux_amd64", "terraform-provider-rocket"), filepath.Join("a", "b", "c", "d.zip")}
	for _, name := range foreign {
		path := filepath.Join(f.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, f.dir)
	less := want("", 2)
	less.Platforms = []sources.Platform{linux, darwin}
	want := []string{"anvil 0.1.0 darwin,linux,plan9,windows", "rocket 1.0.0 darwin,linux,plan9,windows", "rocket 1.1.0 plan9,windows", "rocket 2.0.0 plan9,windows"}

	surplus, err := f.again().Surplus(t.Context(), plan(less))
	if diff := cmp.Diff(want, texts(surplus)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("looking has changed something: %s", diff)
	}
	f.downloads()
	f.kinds(windows)
	removed, err := f.again().Prune(t.Context(), plan(less))
	if diff := cmp.Diff(want, texts(removed)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if n := f.srv.Count(""); n > 2 {
		t.Errorf("pruning took %d requests, want those for the list of versions", n)
	}
	if kinds := f.kinds(windows); !slices.Equal(kinds, slices.Repeat([]mirror.EventKind{mirror.EventRemoved}, 4)) {
		t.Errorf("the events are %v", kinds)
	}
	after := tree(t, f.dir)
	for _, name := range foreign {
		if _, ok := after[filepath.ToSlash(name)]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
	// The rest is what a mirror of the smaller plan has.
	if again := f.build(plan(less)); f.downloads() != 0 || len(again.Releases) != 2 {
		t.Errorf("what is wanted was removed: %v", summary(again))
	}
	if n := len(archives(t, f.dir)); n != 5 { // one is the foreign one
		t.Errorf("the mirror has %d archives", n)
	}
	if surplus, err := f.again().Surplus(t.Context(), plan(less)); len(surplus) != 0 || err != nil {
		t.Errorf("there is still %v, %v", texts(surplus), err)
	}
}

// What cannot be found out is no reason to remove anything.
func TestPruneIsCareful(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "2.0.0")...)
	f.build(plan(want("", mirror.All)))
	before := tree(t, f.dir)
	absent := mirror.Want{Provider: anvil}

	for name, test := range map[string]struct {
		plan  mirror.Plan
		fault registrytest.Fault
		is    func(error) bool
	}{
		"no version":       {plan(want("~> 3.0", 0)), registrytest.Fault{}, is[*installer.NoMatchError]},
		"no provider":      {plan(want("", 0), absent), registrytest.Fault{}, func(err error) bool { return errors.Is(err, sources.ErrNotFound) }},
		"no answer":        {plan(want("", 0)), registrytest.Fault{Kind: registrytest.KindVersions, Status: 503}, func(err error) bool { return errors.Is(err, sources.ErrUnavailable) }},
		"nothing asked":    {mirror.Plan{}, registrytest.Fault{}, is[*sources.FieldError]},
		"a nonsense field": {mirror.Plan{Wants: []mirror.Want{{}}}, registrytest.Fault{}, is[*sources.FieldError]},
	} {
		if test.fault.Status != 0 {
			f.fault(test.fault)
		}
		for call, prune := range map[string]func() ([]mirror.Surplus, error){
			"Surplus": func() ([]mirror.Surplus, error) { return f.again().Surplus(t.Context(), test.plan) },
			"Prune":   func() ([]mirror.Surplus, error) { return f.again().Prune(t.Context(), test.plan) },
		} {
			if surplus, err := prune(); !test.is(err) || surplus != nil {
				t.Errorf("%s, %s: %v, %v", name, call, texts(surplus), err)
			}
		}
		f.srv.ClearFaults()
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
}

func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

// A chain that may do without a source builds without it. It does not prune without it.
func TestPruneAndOutages(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "2.0.0")...)
	older := registrytest.New(t, registrytest.Config{Releases: rockets("1.0.0")})
	f.build(plan(want("", 0)))
	f.fault(registrytest.Fault{Kind: registrytest.KindVersions, Status: 503})
	b := f.again()
	b.Installer.Source = sources.Chain{{Source: b.Installer.Source, Fallback: sources.OnOutage}, {Source: registry(older)}}
	if _, err := b.Prune(t.Context(), plan(want("", 0))); !is[*mirror.IncompleteError](err) {
		t.Errorf("the error is %v", err)
	}
	if _, err := b.Surplus(t.Context(), plan(want("", 0))); !strings.Contains(fmt.Sprint(err), "did not answer") || !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
	if report, err := b.Build(t.Context(), plan(want("", 0))); err != nil || report.Releases[0].Version != sources.MustParseVersion("1.0.0") {
		t.Errorf("the report is %v, %v", report, err)
	}
	if n := len(archives(t, f.dir)); n != 8 {
		t.Errorf("the mirror has %d archives", n)
	}
}

func TestPruneCancelled(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "2.0.0")...)
	f.build(plan(want("", mirror.All)))
	ctx, cancel := context.WithCancel(t.Context())
	b := f.again()
	b.Installer.Source = cancelling{b.Installer.Source, cancel}
	if removed, err := b.Prune(ctx, plan(want("", 0))); !errors.Is(err, context.Canceled) || removed != nil {
		t.Errorf("%v, %v", texts(removed), err)
	}
	if n := len(archives(t, f.dir)); n != 8 {
		t.Errorf("the mirror has %d archives", n)
	}
}

// cancelling is a source during whose answer the user loses patience.
type cancelling struct {
	sources.Source
	cancel context.CancelFunc
}

func (c cancelling) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	defer c.cancel()
	return c.Source.Versions(ctx, p)
}

// What somebody publishes while Prune finds out what is wanted may be newer than what it finds out.
func TestPruneBesideABuild(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	f.build(plan(want("", 0)))
	b := f.again()
	b.Installer.Source = meanwhile{b.Installer.Source, func() {
		if err := f.srv.Add(rockets("1.1.0")[0]); err != nil {
			t.Error(err)
		}
		f.build(plan(want("", 0)))
	}}
	removed, err := b.Prune(t.Context(), plan(want("", 0)))
	if err != nil || len(removed) != 0 {
		t.Errorf("%v was removed, %v", texts(removed), err)
	}
	if n := len(archives(t, f.dir)); n != 8 {
		t.Errorf("the mirror has %d archives", n)
	}
}

// meanwhile is a source that answers, and then something happens.
type meanwhile struct {
	sources.Source
	happens func()
}

func (m meanwhile) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	defer m.happens()
	return m.Source.Versions(ctx, p)
}

// A plan that says nothing about platforms must not cost the packages for all others but this one.
func TestPruneWithoutPlatforms(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	f.build(plan(want("", 0)))
	vague := mirror.Plan{Wants: []mirror.Want{want("", 0)}}
	for _, p := range []mirror.Plan{vague, mirror.Plan{}.And(vague), plan(want("", 0)).And(vague)} {
		var field *sources.FieldError
		if removed, err := f.again().Prune(t.Context(), p); !errors.As(err, &field) || removed != nil {
			t.Errorf("%v was removed, %v", texts(removed), err)
		}
	}
	if n := len(archives(t, f.dir)); n != 4 {
		t.Errorf("the mirror has %d archives", n)
	}
}

// Directories that links make the home of two providers are wanted if one of them is.
func TestPruneWithLinks(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]struct{ real, alias string }{
		"another host":      {host, "alias.example.com"},
		"another namespace": {filepath.Join(host, "acme"), filepath.Join(host, "zenith")},
		"another type":      {filepath.Join(host, "acme", "rocket"), filepath.Join("a.example.com", "acme", "rocket")},
	} {
		for _, turned := range []bool{false, true} { // the plan's address is the link's
			f := setup(t, rockets("1.0.0")...)
			f.build(plan(want("", 0)))
			alias, original := filepath.Join(f.dir, link.alias), filepath.Join(f.dir, link.real)
			if err := os.MkdirAll(filepath.Dir(alias), 0o755); err != nil {
				t.Fatal(err)
			}
			if turned {
				if err := os.Rename(original, alias); err != nil {
					t.Fatal(err)
				}
				alias, original = original, alias
			}
			if err := os.Symlink(original, alias); err != nil {
				t.Skip(err)
			}
			removed, err := f.again().Prune(t.Context(), plan(want("", 0)))
			if n := len(archives(t, f.dir)); !is[*fsmirror.SharedError](err) || len(removed) != 0 || n != 4 {
				t.Errorf("%s, %v: %v was removed, %d archives are left, %v", name, turned, texts(removed), n, err)
			}
			f.build(plan(want("", 0))) // and it is in order
			if f.downloads() != 4 {
				t.Errorf("%s, %v: packages were fetched again", name, turned)
			}
		}
	}
}
