package mirror_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
)

// Of the Builder's events and those of its Installer one is told at a time.
func TestEventsDoNotOverlap(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	var inside, ours, theirs atomic.Int32
	tell := func(told *atomic.Int32) {
		if inside.Add(1) > 1 {
			t.Error("two events are told at a time")
		}
		told.Add(1)
		time.Sleep(time.Millisecond) // so that another would find it here
		inside.Add(-1)
	}
	b := f.again()
	b.Notify = func(mirror.Event) { tell(&ours) }
	b.Installer.Notify = func(installer.Event) { tell(&theirs) }
	if _, err := b.Build(t.Context(), plan(want("", mirror.All))); err != nil {
		t.Fatal(err)
	}
	if ours.Load() < 2*(2*4+1) || theirs.Load() < 2*4*4 {
		t.Errorf("%d events of the Builder were told, and %d of its Installer", ours.Load(), theirs.Load())
	}
}
