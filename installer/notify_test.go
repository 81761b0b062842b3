package installer_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
)

// However many providers are under way, one event is told at a time.
func TestEventsDoNotOverlap(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"), release("acme/beta", "1.0.0"), release("acme/gamma", "1.0.0"))
	var inside, told atomic.Int32
	f.in.Notify = f.then(func(installer.Event) {
		if inside.Add(1) > 1 {
			t.Error("two events are told at a time")
		}
		told.Add(1)
		time.Sleep(time.Millisecond) // so that another would find it here
		inside.Add(-1)
	})
	f.install(require("acme/alpha", "", "acme/beta", "", "acme/gamma", ""))
	if told.Load() < 3*6 {
		t.Errorf("%d events were told", told.Load())
	}
}
