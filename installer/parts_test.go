package installer_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// A source that offers ranges and then refuses them is not asked for one again and again.
func TestRangesThatAreRefused(t *testing.T) {
	t.Parallel()
	refuse := errors.New("refused")
	archive := noise(t, 40*mb, "terraform-provider-alpha")
	// The link gets faster, as new connections do, which looks as if the helpers had helped.
	l := &link{archive: archive, rate: 2 * mb, growth: 1.008, broken: func(offset int64) error {
		if offset < int64(len(archive))-100_000 {
			return refuse
		}
		return nil
	}}
	_, err := timed(t, l, nil)
	if err != nil {
		t.Error(err)
	}
	if l.refused > 4 || l.attempts > 2 {
		t.Errorf("%d ranges were asked for in vain, in %d attempts", l.refused, l.attempts)
	}
}

// A part that fails after all others have come is tried once more, before everything is.
func TestTheLastPartFails(t *testing.T) {
	t.Parallel()
	archive := noise(t, 40*mb, "terraform-provider-alpha")
	var failed atomic.Bool
	l := &link{archive: archive, rate: 5 * mb, broken: func(offset int64) error {
		if offset < 35*mb || offset > int64(len(archive))-100_000 || failed.Swap(true) {
			return nil
		}
		time.Sleep(time.Minute)
		return sources.ErrUnavailable
	}}
	if _, err := timed(t, l, nil); err != nil || !failed.Load() {
		t.Error(err, l.log)
	}
	if l.attempts != 1 || l.bytes > 50*mb {
		t.Errorf("%d attempts took %d bytes: %v", l.attempts, l.bytes, l.log)
	}
}

// What a source says at the end of an archive counts, however it says it.
func TestAVerdictAtTheEnd(t *testing.T) {
	t.Parallel()
	verdict := errors.New("the digest is wrong")
	for name, l := range map[string]*link{
		"instead of the end":        {last: verdict},
		"with the last bytes":       {with: verdict},
		"on closing":                {closing: verdict},
		"of parts, instead":         {last: verdict, inParts: true},
		"of parts, with the bytes":  {with: verdict, inParts: true},
		"of parts, on closing them": {closing: verdict, inParts: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.archive, l.rate = noise(t, 3*mb, "terraform-provider-alpha"), mb/2
			l.plain = !l.inParts
			_, err := timed(t, l, func(in *installer.Installer) { in.SegmentSize = 500_000 })
			if l.inParts && name != "of parts, instead" && l.attempts != 2 {
				t.Errorf("%d attempts, want a second one as a whole", l.attempts)
			}
			if !l.inParts && !errors.Is(err, verdict) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// Only somebody who has read everything has a verdict.
func TestClosingEarlyIsNoVerdict(t *testing.T) {
	t.Parallel()
	all := links{}
	for _, name := range []string{"a", "b", "c", "d"} {
		all[name] = &link{archive: noise(t, 2*mb, "terraform-provider-"+name), rate: mb, early: errors.New("not read to the end")}
	}
	in := &installer.Installer{Dir: t.TempDir(), Source: all, SegmentSize: 500_000, Downloads: 3}
	synctest.Test(t, func(t *testing.T) {
		if _, err := in.Install(t.Context(), all.requirements()); err != nil {
			t.Error(err)
		}
	})
}
