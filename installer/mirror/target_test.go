package mirror_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

var (
	_ mirror.Prunable = (*fsmirror.Target)(nil)
	_ mirror.Readable = (*fsmirror.Target)(nil)
)

// lame is a target that cannot do one of the things.
type lame struct {
	sources.Target
	stored, push error
}

func (l lame) Stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	if l.stored != nil {
		return nil, l.stored
	}
	return l.Target.Stored(ctx, p, v)
}

func (l lame) Push(ctx context.Context, r sources.Release) (*sources.Pushed, error) {
	if l.push != nil && r.Version == sources.MustParseVersion("1.1.0") {
		return nil, l.push
	}
	return l.Target.Push(ctx, r)
}

// When the target fails at a version, the others are not affected, and nothing is left behind.
func TestTheTargetFails(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	for name, broken := range map[string]lame{"Stored": {stored: full}, "Push": {push: full}} {
		f := setup(t, rockets("1.0.0", "1.1.0")...)
		broken.Target = f.builder.Target
		f.builder.Target = broken
		report, err := f.builder.Build(t.Context(), plan(want("", mirror.All)))
		var all *mirror.Error
		if !errors.Is(err, full) || !errors.As(err, &all) || !all.Failures[0].Platform.IsZero() {
			t.Errorf("%s: the error is %v", name, err)
		}
		if published := len(report.Releases) == 1; published != (broken.push != nil) {
			t.Errorf("%s: the report is %v", name, summary(report))
		}
		f.checkScratch()
		if _, err := f.builder.Prune(t.Context(), plan(want("", 0))); !isNotPrunable(err) {
			t.Errorf("the error is %v", err)
		}
	}
}

// Builds that share a scratch directory wait for each other, and so share what is fetched.
func TestBuildsAtOnce(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	var wait sync.WaitGroup
	for range 3 {
		b := f.again()
		wait.Go(func() {
			if _, err := b.Build(t.Context(), plan(want("", mirror.All))); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	f.checkScratch()
	if n := f.downloads(); n != 8 {
		t.Errorf("%d archives were fetched, want 8", n)
	}
}

// Whoever waits for a scratch directory can stop waiting.
func TestTheScratchDirectoryIsBusy(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	ctx, stop := context.WithCancel(t.Context())
	var other error
	f.builder.Notify = func(e mirror.Event) {
		if e.Kind == mirror.EventPublished {
			waiting, cancel := context.WithCancel(t.Context())
			cancel()
			_, other = f.again().Build(waiting, plan(want("", 0)))
			stop()
		}
	}
	if _, err := f.builder.Build(ctx, plan(want("", 0))); err != nil { // all was done when the context ended
		t.Errorf("the error is %v", err)
	}
	if !errors.Is(other, context.Canceled) {
		t.Errorf("the other's error is %v", other)
	}
	if n := len(archives(t, f.dir)); n != 4 {
		t.Errorf("the mirror has %d archives", n)
	}
}

// What one package's failure says names everything once.
func TestMessages(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	f.fault(faultOf(404))
	_, err := f.buildError(mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{linux, windows}})
	var all *mirror.Error
	if !errors.As(err, &all) || len(all.Failures) != 2 {
		t.Fatalf("the error is %v", err)
	}
	slices.SortFunc(all.Failures, func(a, b *mirror.PackageError) int { return a.Platform.Compare(b.Platform) })
	want := "registry.example.com/acme/rocket 1.0.0 for windows_amd64: registry registry.example.com: no package for windows_amd64; there are packages for linux_amd64"
	if got := all.Failures[1].Error(); got != want {
		t.Errorf("the message is\n%s, want\n%s", got, want)
	}
	if got := err.Error(); got != "2 failures:\n- "+all.Failures[0].Error()+"\n- "+all.Failures[1].Error() {
		t.Errorf("the message is %s", got)
	}
}

// What somebody removes while it is being compared is not reported as present.
func TestPackagesThatGo(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	f.build(plan(want("", mirror.All)))
	b := f.again()
	b.Target = leaving{b.Target, f.dir}
	report, err := b.Build(t.Context(), plan(want("", mirror.All)))
	for _, r := range report.Releases {
		for _, on := range append(r.Present, r.Added...) {
			if _, err := os.Stat(archivePath(f.dir, rocket, r.Version.String(), on)); err != nil {
				t.Errorf("reported, and not there: %v", err)
			}
		}
	}
	if e := failure(t, err); e.Version != sources.MustParseVersion("1.0.0") || !strings.Contains(e.Error(), "build again") {
		t.Errorf("the error is %v", err)
	}
	if report := f.build(plan(want("", mirror.All))); len(report.Releases[1].Added) != 1 {
		t.Errorf("the next report is %v", summary(report))
	}
}

// leaving is a directory from which somebody removes a package.
type leaving struct {
	sources.Target
	dir string
}

func (l leaving) Stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	if v == sources.MustParseVersion("1.0.0") {
		defer os.Remove(archivePath(l.dir, p, "1.0.0", linux))
	}
	return l.Target.Stored(ctx, p, v)
}

// What stands in the place of the archives in a scratch directory, and leads elsewhere, is not followed.
func TestScratchThatIsALink(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "precious"), "")
	if err := os.Symlink(elsewhere, filepath.Join(f.builder.Scratch, ".purveyor-mirror")); err != nil {
		t.Skip(err)
	}
	_, err := f.builder.Build(t.Context(), plan(want("", 0)))
	if entries, _ := os.ReadDir(elsewhere); len(entries) != 1 {
		t.Errorf("elsewhere there is %v", entries)
	}
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the error is %v", err)
	}
}

// fussy is a target that wants a file of each package, and from which somebody may have removed one.
type fussy struct {
	sources.Target
	gone bool
	asks int
}

func (l *fussy) Stored(ctx context.Context, p sources.Provider, v sources.Version) (map[sources.Platform]hashing.Hash, error) {
	stored, err := l.Target.Stored(ctx, p, v)
	if l.asks++; l.gone && l.asks > 1 {
		delete(stored, linux)
	}
	return stored, err
}

func (l *fussy) Push(ctx context.Context, r sources.Release) (*sources.Pushed, error) {
	if slices.ContainsFunc(r.Archives, func(a sources.Archive) bool { return a.Path == "" }) {
		return nil, &sources.Error{Op: "publish", Source: "fussy", Err: &sources.ReleaseError{Field: "Archives", Problem: "have no Path"}}
	}
	return l.Target.Push(ctx, r)
}

// A target that takes no package without its file gets those that it lacks.
func TestATargetThatWantsFiles(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	few := plan(want("", 0))
	few.Platforms = []sources.Platform{linux, darwin}
	f.build(few)
	for _, test := range []struct {
		plan mirror.Plan
		gone bool
		want string
	}{
		{few, true, ""},
		{few, false, "rocket 1.0.0 present darwin,linux"},
		{plan(want("", 0)), true, ""},
	} {
		b := f.again()
		b.Target = &fussy{Target: b.Target, gone: test.gone}
		report, err := b.Build(t.Context(), test.plan)
		if got := strings.Join(summary(report), ""); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("the report is %q, %v; want %q", got, err, test.want)
		}
		f.checkScratch()
	}
	b := f.again()
	b.Target = &fussy{Target: b.Target}
	report, err := b.Build(t.Context(), plan(want("", 0)))
	if err != nil || join(report.Releases[0].Added) != "plan9,windows" || join(report.Releases[0].Present) != "darwin,linux" {
		t.Errorf("the report is %+v, %v", report, err)
	}
}
