package mirror_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
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
		if _, err := f.builder.Prune(t.Context(), plan(want("", 0))); !isUnsupported(err) {
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
