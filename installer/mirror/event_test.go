package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// recorded makes a builder remember its events, and returns how to read them, sorted.
func recorded(b *builder) func() []string {
	var all []string
	b.Notify = func(e mirror.Event) { all = append(all, subject(e.Kind, e.Provider, e.Version, e.Platform)) }
	return func() []string {
		slices.Sort(all)
		return all
	}
}

// talkative is a source that has something to say about each provider.
type talkative struct{ sources.Source }

func (s talkative) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := s.Source.Versions(ctx, p)
	listing.Warnings = append(listing.Warnings, "it is deprecated", "it has moved")
	return listing, err
}

func TestEventsOfWants(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	b := f.again()
	b.Installer.Source = talkative{b.Installer.Source}
	events := recorded(b)
	wants := []mirror.Want{want("", 0), want("~> 3.0", 0)}
	if _, err := b.Build(t.Context(), mirror.Plan{Wants: wants, Platforms: []sources.Platform{linux}}); !is[*installer.NoMatchError](err) {
		t.Errorf("the error is %v", err)
	}
	const rocket = host + "/acme/rocket"
	want := append([]string{"failed " + rocket, "fetched " + rocket + " 1.0.0 linux_amd64", "fetching " + rocket + " 1.0.0 linux_amd64", "published " + rocket + " 1.0.0"},
		slices.Repeat([]string{"warning " + rocket}, 4)...)
	if diff := cmp.Diff(want, events()); diff != "" {
		t.Error(diff)
	}
}

// Of packages that are not to be had there are no other events, and without any others none of the version.
func TestEventsOfPackagesThatAreNot(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	for _, optional := range []bool{true, false} {
		w := want("", 0)
		w.Optional, w.Platforms = optional, []sources.Platform{windows, darwin}
		b := f.again()
		events := recorded(b)
		kind := "failed "
		if optional {
			kind = "missing "
		}
		if _, err := b.Build(t.Context(), plan(w)); (err == nil) != optional {
			t.Errorf("the error is %v", err)
		}
		want := []string{kind + host + "/acme/rocket 1.0.0 darwin_arm64", kind + host + "/acme/rocket 1.0.0 windows_amd64"}
		if diff := cmp.Diff(want, events()); diff != "" {
			t.Error(diff)
		}
	}
}

// A want that names its version fails with it when the context has ended. Versions that are not begun have no events.
func TestEventsWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	exact := mirror.Want{Provider: rocket, Version: sources.MustParseVersion("1.0.0")}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b := f.again()
	b.Scratch = ""
	events := recorded(b)
	if _, err := b.Build(ended, plan(exact)); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if want := []string{"failed " + host + "/acme/rocket 1.0.0"}; !slices.Equal(events(), want) {
		t.Errorf("the events are %v, want %v", events(), want)
	}

	late, cancel := context.WithCancel(t.Context())
	b = f.again()
	b.Scratch = ""
	b.Installer.Source = cancelling{b.Installer.Source, cancel}
	events = recorded(b)
	if _, err := b.Build(late, plan(want("", mirror.All))); !errors.Is(err, context.Canceled) || len(events()) != 0 {
		t.Errorf("the error is %v, the events are %v", err, events())
	}
}

// A package that the target refuses fails after it was fetched, and nothing is said of a version of which none is left.
func TestEventsOfRefusedPackages(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	conflict := &sources.ConflictError{Address: "somewhere", Platform: linux, Stored: "zh:00", Pushed: "zh:01"}
	b := f.again()
	b.Target = refusing{b.Target, conflict}
	events := recorded(b)
	if _, err := b.Build(t.Context(), mirror.Plan{Wants: []mirror.Want{want("", 0)}, Platforms: []sources.Platform{linux}}); !errors.Is(err, conflict) {
		t.Errorf("the error is %v", err)
	}
	const what = host + "/acme/rocket 1.0.0 linux_amd64"
	if want := []string{"failed " + what, "fetched " + what, "fetching " + what}; !slices.Equal(events(), want) {
		t.Errorf("the events are %v, want %v", events(), want)
	}
}

// refusing is a target that takes nothing.
type refusing struct {
	sources.Target
	err error
}

func (r refusing) Push(context.Context, sources.Release) (*sources.Pushed, error) { return nil, r.err }

// The Installer tells of downloads, and of nothing else: reading what a killed build has left, or what a target has, may come to
// nothing without anything having failed.
func TestTheInstallersEventsAreOfDownloads(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux, darwin))
	p := mirror.Plan{Wants: []mirror.Want{want("", 0)}, Platforms: []sources.Platform{linux, darwin}}
	b := f.again()
	var log bytes.Buffer
	var downloads []installer.EventKind
	b.Installer.Logger = slog.New(slog.NewTextHandler(&log, nil))
	b.Installer.Notify = func(e installer.Event) {
		if e.Kind == installer.EventFetching || e.Kind.Last() {
			downloads = append(downloads, e.Kind)
		}
	}
	var fetched []int64
	b.Notify = func(e mirror.Event) {
		if e.Kind == mirror.EventFetched {
			fetched = append(fetched, e.Bytes)
		}
	}
	if err := f.srv.AddFault(registrytest.Fault{Kind: registrytest.KindArchive, After: 1, StallAt: 100}); err != nil {
		t.Fatal(err)
	}
	f.killed(p, 1)
	f.srv.ClearFaults()
	left := 0
	for name := range tree(t, f.builder.Scratch) {
		if isArchive(name) {
			left++
		}
	}
	if _, err := b.Build(t.Context(), p); err != nil || left != 1 {
		t.Fatalf("%d archives were left, %v", left, err)
	}
	if slices.Sort(fetched); len(fetched) != 2 || fetched[0] != 0 || fetched[1] == 0 {
		t.Errorf("fetched were %d bytes; one of the archives was there", fetched)
	}
	if want := []installer.EventKind{installer.EventFetching, installer.EventFetched}; !slices.Equal(downloads, want) {
		t.Errorf("the installer's events are %v, want %v", downloads, want)
	}
	if text := log.String(); strings.Contains(text, "ERROR") || strings.Count(text, "mirror published") != 1 {
		t.Errorf("the log is\n%s", text)
	}
}

// What the log says of a package and of a version is what their events have.
func TestLogRecords(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	r := release("acme/rocket", "1.0.0", linux)
	r.Signer = signer
	f := setup(t, r)
	p := mirror.Plan{Wants: []mirror.Want{want("", 0)}, Platforms: []sources.Platform{linux}}
	f.build(p)
	b := f.from(f.dir)
	b.Installer.Policy.Signers = []string{signer.Fingerprint()}
	b.Target = fsmirror.NewTarget(t.TempDir())
	var log bytes.Buffer
	b.Installer.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	report, err := b.Build(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	const what = " provider=registry.example.com/acme/rocket version=1.0.0"
	for _, want := range []string{
		`level=DEBUG msg="mirror fetching"` + what + " platform=linux_amd64\n",
		`level=DEBUG msg="mirror fetched"` + what + " platform=linux_amd64 bytes=",
		" authority=signed signer=" + signer.Fingerprint() + " carried=true\n",
		`level=INFO msg="mirror published"` + what + " address=" + report.Releases[0].Address + "\n",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}

	log.Reset() // at the usual level a build that finds everything in its place says so once for each version
	b.Installer.Logger = slog.New(slog.NewTextHandler(&log, nil))
	if _, err := b.Build(t.Context(), p); err != nil || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the log is\n%s%v", log.String(), err)
	}
}

// Reading again what the target has is no download.
func TestRereadingIsNoDownload(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	p := mirror.Plan{Wants: []mirror.Want{want("", 0)}, Platforms: []sources.Platform{linux}}
	f.build(p)
	a, err := f.installer().Fetch(t.Context(), rocket, sources.MustParseVersion("1.0.0"), linux, filepath.Join(t.TempDir(), "a.zip"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := "h1:" + hashing.Hash(strings.Repeat("A", 43)) + "="
	for hash, want := range map[hashing.Hash]int{a.Proof.Computed.Tree: 0, wrong: 1} { // the wrong one is not the source's, either
		p.Wants[0].Version, p.Wants[0].Hashes = a.Version, []hashing.Hash{hash}
		b, downloads := f.again(), 0
		b.Installer.Notify = func(e installer.Event) {
			if e.Kind == installer.EventFetching {
				downloads++
			}
		}
		if _, err := b.Build(t.Context(), p); is[*hashing.MismatchError](err) != (hash == wrong) || downloads != want {
			t.Errorf("%s: the installer tells of %d downloads, %v", hash, downloads, err)
		}
	}
}
