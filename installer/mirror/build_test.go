package mirror_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestBuild(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0", "1.2.0", "2.0.0", "1.3.0-beta1")...)
	report := f.build(plan(want("~> 1.0", 2)))
	all := " added darwin,linux,plan9,windows"
	if diff := cmp.Diff([]string{"rocket 1.2.0" + all, "rocket 1.1.0" + all}, summary(report)); diff != "" {
		t.Error(diff)
	}
	for _, r := range report.Releases {
		if r.Authority != "signed" || !r.Signed || len(r.Signers) != 1 || r.Bytes == 0 || r.Address == "" {
			t.Errorf("the report is %+v", r)
		}
	}
	if n := f.downloads(); n != 8 {
		t.Errorf("%d archives were downloaded, want 8", n)
	}
	if n := len(archives(t, f.dir)); n != 8 {
		t.Errorf("the mirror has %d archives, want 8", n)
	}
	kinds := []mirror.EventKind{mirror.EventFetching, mirror.EventFetched}
	got := f.kinds(linux)
	if slices.Sort(got); !slices.Equal(got, []mirror.EventKind{kinds[1], kinds[1], kinds[0], kinds[0]}) {
		t.Errorf("the events are %v", got)
	}
}

// A package from the mirror is proven by the origin's signature, for those who pin its key.
func TestTheMirrorKeepsTheSignature(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	r := release("acme/rocket", "1.0.0", four...)
	r.Signer = signer
	f := setup(t, r)
	f.build(plan(want("", 0)))
	in := &installer.Installer{Source: fsmirror.New(f.dir), Policy: installer.Policy{Signers: []string{signer.Fingerprint()}}}
	for _, on := range four {
		a, err := in.Fetch(t.Context(), rocket, sources.MustParseVersion("1.0.0"), on, filepath.Join(t.TempDir(), "a.zip"))
		if err != nil || !a.Proof.Signer.Carried {
			t.Errorf("%s: %v", on, err)
		}
	}
}

func newSigner(t *testing.T) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func TestBuildTwice(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	p := plan(want("", mirror.All))
	first := f.build(p)
	before := tree(t, f.dir)
	f.downloads()
	second := f.build(p)
	if n := f.downloads(); n != 0 {
		t.Errorf("%d archives were downloaded again", n)
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
	for i, r := range second.Releases {
		want := first.Releases[i]
		want.Added, want.Present, want.Bytes = nil, want.Added, 0
		if diff := cmp.Diff(want, r, cmp.Comparer(func(a, b sources.Provider) bool { return a == b }), cmp.Comparer(func(a, b sources.Version) bool { return a == b })); diff != "" {
			t.Errorf("the second report (-want): %s", diff)
		}
	}
}

func TestOneMoreVersionIsOneMoreDownload(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	p := mirror.Plan{Wants: []mirror.Want{want("", 2)}, Platforms: []sources.Platform{linux}}
	f.build(p)
	f.downloads()
	if err := f.srv.Add(release("acme/rocket", "1.1.0", linux)); err != nil {
		t.Fatal(err)
	}
	report := f.build(p)
	if n := f.downloads(); n != 1 {
		t.Errorf("%d archives were downloaded, want 1", n)
	}
	if diff := cmp.Diff([]string{"rocket 1.1.0 added linux", "rocket 1.0.0 present linux"}, summary(report)); diff != "" {
		t.Error(diff)
	}
}

// The same packages make the same mirror, in whatever order and however many at a time.
func TestReproducible(t *testing.T) {
	t.Parallel()
	releases := append(rockets("1.0.0", "1.1.0", "2.0.0"), release("acme/anvil", "0.1.0", four...))
	f := setup(t, releases...)
	wants := []mirror.Want{want("", mirror.All), {Provider: anvil}}
	f.build(plan(wants...))
	want := tree(t, f.dir)

	slices.Reverse(wants)
	other := f.again()
	other.Parallel, other.Target, other.Scratch = 1, fsmirror.NewTarget(t.TempDir()), ""
	elsewhere := t.TempDir()
	other.Target = fsmirror.NewTarget(elsewhere)
	for _, on := range []sources.Platform{windows, linux, plan9, darwin} { // one platform after the other
		if _, err := other.Build(t.Context(), mirror.Plan{Wants: wants, Platforms: []sources.Platform{on}}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, tree(t, elsewhere)); diff != "" {
		t.Errorf("the mirrors differ: %s", diff)
	}
	if len(want) < 20 {
		t.Errorf("the mirror has %d files only", len(want))
	}
}

// Wants of one provider do not restrict each other, and a version has the platforms of all who ask for it.
func TestWantsAddUp(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0", "2.0.0")...)
	old, new := want("~> 1.0", 0), want("2.0.0", 0)
	old.Platforms, new.Platforms = []sources.Platform{linux}, []sources.Platform{darwin}
	both := want(">= 1.1", 2)
	both.Platforms = []sources.Platform{plan9}
	report := f.build(plan(old, new, both))
	want := []string{"rocket 2.0.0 added darwin,plan9", "rocket 1.1.0 added linux,plan9"}
	if diff := cmp.Diff(want, summary(report)); diff != "" {
		t.Error(diff)
	}
}

func TestMissingPlatforms(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux, darwin), release("acme/rocket", "1.1.0", linux, darwin, windows))
	all := want("", mirror.All)
	all.Platforms = []sources.Platform{linux, windows}
	report, err := f.buildError(plan(all))
	e := failure(t, err)
	var missing *sources.PlatformError
	if !errors.As(err, &missing) || !slices.Equal(missing.Available, []sources.Platform{darwin, linux}) || e.Platform != windows {
		t.Errorf("the error is %v", err)
	}
	want := []string{"rocket 1.1.0 added linux,windows", "rocket 1.0.0 added linux"}
	if diff := cmp.Diff(want, summary(report)); diff != "" {
		t.Error(diff)
	}

	all.Optional = true
	want = []string{"rocket 1.1.0 present linux,windows"}
	report = f.build(plan(all))
	if n := len(report.Releases); n != 2 || !slices.Equal(report.Releases[1].Missing, []sources.Platform{windows}) {
		t.Errorf("the report is %v", summary(report))
	}
	if diff := cmp.Diff(want, summary(report)[:1]); diff != "" {
		t.Error(diff)
	}
	needed := all // if anybody needs it, it is needed
	needed.Optional = false
	if _, err := f.buildError(plan(all, needed)); !errors.As(err, &missing) {
		t.Errorf("the error is %v", err)
	}
}

func TestNothingToChooseFrom(t *testing.T) {
	t.Parallel()
	old := release("acme/rocket", "0.1.0", linux)
	old.Protocols = []string{"4.0"}
	f := setup(t, append(rockets("1.0.0"), old)...)
	impossible, useless, fine := want("~> 3.0", 0), want("< 1.0", mirror.All), want("", mirror.All)
	impossible.Origin = "modules/net"
	absent := mirror.Want{Provider: sources.MustParseProvider(host + "/acme/absent")}
	report, err := f.buildError(plan(impossible, useless, absent, fine))
	var none *installer.NoMatchError
	var unusable *installer.UnusableError
	if !errors.As(err, &none) || !errors.As(err, &unusable) || !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	if len(report.Releases) != 1 || len(report.Releases[0].Added) != 4 {
		t.Errorf("the report is %v", summary(report))
	}
	var all *mirror.Error
	if !errors.As(err, &all) || len(all.Failures) != 3 || all.Failures[1].Error() !=
		`registry.example.com/acme/rocket, which modules/net asks for: no version meets the constraints "~> 3.0"; there are 1.0.0, 0.1.0` {
		t.Errorf("the failures are %v", err)
	}
}

// The exact version of a lock file is not looked for in lists.
func TestExactVersions(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	w := mirror.Want{Provider: rocket, Version: sources.MustParseVersion("1.0.0")}
	report := f.build(plan(w))
	if f.srv.Count(registrytest.KindVersions) != 0 || len(report.Releases) != 1 {
		t.Errorf("the report is %v", summary(report))
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0", "1.2.0")...)
	if err := f.srv.AddFault(registrytest.Fault{Kind: registrytest.KindArchive, StallAt: 10, After: 5}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := f.again()
	b.Parallel = 1 // one version after the other
	b.Notify = func(e mirror.Event) {
		if e.Kind == mirror.EventPublished {
			cancel() // the next archives hang
		}
	}
	report, err := b.Build(ctx, plan(want("", mirror.All)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	var all *mirror.Error
	if errors.As(err, &all) {
		t.Errorf("there are failures besides: %v", all)
	}
	if len(report.Releases) != 1 {
		t.Errorf("the report is %v", summary(report))
	}
	f.checkScratch()
	f.srv.ClearFaults()
	f.build(plan(want("", mirror.All)))
	if n := len(archives(t, f.dir)); n != 12 {
		t.Errorf("the mirror has %d archives, want 12", n)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	f := setup(t)
	in, target := f.builder.Installer, f.builder.Target
	for field, b := range map[string]*mirror.Builder{
		"Builder.Installer":        {Target: target},
		"Builder.Installer.Source": {Target: target, Installer: &installer.Installer{}},
		"Builder.Target":           {Installer: in},
		"Builder.Parallel":         {Installer: in, Target: target, Parallel: -1},

		"Builder.Installer.Queries":        {Target: target, Installer: &installer.Installer{Source: in.Source, Queries: -1}},
		"Builder.Installer.Unpacks":        {Target: target, Installer: &installer.Installer{Source: in.Source, Unpacks: -1}},
		"Builder.Installer.Limits.Files":   {Target: target, Installer: &installer.Installer{Source: in.Source, Limits: installer.Limits{Files: -1}}},
		"Builder.Installer.Policy.Signers": {Target: target, Installer: &installer.Installer{Source: in.Source, Policy: installer.Policy{Signers: []string{"x"}}}},
	} {
		_, err := watch(t, b).Build(t.Context(), plan())
		checkField(t, field, err)
	}
	builtIn := sources.MustParseProvider("terraform.io/builtin/terraform")
	for field, w := range map[string]mirror.Want{
		"Plan.Wants[0].Provider":  {},
		"Plan.Wants[0].Latest":    {Provider: rocket, Latest: -2},
		"Plan.Wants[0].Platforms": {Provider: rocket, Platforms: []sources.Platform{{OS: "../x", Arch: "y"}}},
		"Plan.Wants[0].Hashes":    {Provider: rocket, Hashes: nil, Constraints: sources.Constraints{}, Latest: 0},
	} {
		if field == "Plan.Wants[0].Hashes" {
			w.Hashes = append(w.Hashes, "h1:x")
		}
		_, err := f.builder.Build(t.Context(), mirror.Plan{Wants: []mirror.Want{w}})
		checkField(t, field, err)
	}
	_, err := f.builder.Build(t.Context(), mirror.Plan{Wants: []mirror.Want{{Provider: builtIn}}})
	checkField(t, "Plan.Wants[0].Provider", err)
	_, err = f.builder.Build(t.Context(), mirror.Plan{Platforms: []sources.Platform{{}}})
	checkField(t, "Plan.Platforms", err)
}

func checkField(t *testing.T, field string, err error) {
	t.Helper()
	var wrong *sources.FieldError
	if !errors.As(err, &wrong) || wrong.Field != field {
		t.Errorf("%s: the error is %v", field, err)
	}
}

func TestTheReportIsJSON(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	report := f.build(mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{linux}})
	report.Target, report.Releases[0].Address = "", ""
	report.Releases[0].Signers, report.Releases[0].Bytes = nil, 1
	text, err := json.Marshal(report)
	want := `{"target":"","releases":[{"provider":"registry.example.com/acme/rocket","version":"1.0.0","added":["linux_amd64"],"authority":"signed","signed":true,"bytes":1}]}`
	if err != nil || string(text) != want {
		t.Errorf("the report is %s, %v", text, err)
	}
}

// Without a place of its own the scratch directory is one that goes away.
func TestScratchOfItsOwn(t *testing.T) {
	f := setup(t, rockets("1.0.0")...)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	b := f.again()
	b.Scratch = ""
	if _, err := b.Build(t.Context(), plan(want("", 0))); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
		t.Errorf("there are %v, %v", entries, err)
	}
}
