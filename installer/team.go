package installer

import (
	"context"
	"sync"
	"time"
)

// When more connections are taken for one archive.
const (
	probeTime  = 100 * time.Millisecond // after which one connection's speed is known well enough
	worthwhile = time.Second            // that the download must still take
	trialTime  = time.Second            // after which the speed with more connections is known
	gain       = 1.2                    // times as fast it must be, or else one connection goes on alone
)

// team is those who fetch parts of an archive.
type team struct {
	wait sync.WaitGroup

	mu      sync.Mutex
	err     error // the first
	helpers int   // besides the one that has the body
	stage   stage
	own     meter // of this archive, from the beginning
	all     meter // of all archives, since the stage began
	speed   float64
}

// stage is what is known about how the speed of all downloads depends on the connections of this one.
type stage int

const (
	probing  stage = iota // one connection: how fast is it?
	trying                // several: are they faster?
	together              // they are
	alone                 // they are not
)

// meter measures speed.
type meter struct {
	since  time.Time
	before int64 // bytes at that time
}

func newMeter(bytes int64) meter { return meter{time.Now(), bytes} }

// pace returns bytes per second.
func (m meter) pace(bytes int64) float64 {
	return float64(bytes-m.before) / time.Since(m.since).Seconds()
}

func (t *team) begin(all int64) { t.own, t.all = newMeter(0), newMeter(all) }

func (t *team) report(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

func (t *team) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// reinforce adds connections if they are likely to help, and lets them go if they did not. Once one has failed, no more
// are added: whatever the reason is, more requests are unlikely to be welcome.
func (f *filler) reinforce(ctx context.Context) {
	t := &f.team
	if f.ranges == nil || f.job.in.ConnectionsPerArchive == 1 || !t.mu.TryLock() {
		return
	}
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	all, elapsed := f.job.arrived.Load(), time.Since(t.all.since)
	switch t.stage {
	case probing:
		if elapsed < probeTime || !f.starving() || f.timeLeft() < worthwhile {
			return
		}
		if f.callHelpers(ctx); t.helpers > 0 {
			t.stage, t.speed, t.all = trying, t.all.pace(all), newMeter(all)
		}
	case trying:
		if elapsed < trialTime {
			return
		}
		t.stage = together
		if t.all.pace(all) < gain*t.speed {
			t.stage = alone
			f.parts.unite()
		}
	case together:
		f.callHelpers(ctx) // there may be connections left that there were not before
	}
}

// starving reports whether the archive's bytes are waited for while a turn at the processors is free: where all are busy,
// more connections gain nothing.
func (f *filler) starving() bool {
	turns := f.job.unpacks
	if !f.spool.Hungry() || !turns.TryAcquire(1) {
		return false
	}
	turns.Release(1)
	return true
}

// timeLeft is how long the rest takes at the speed of the connections that there are.
func (f *filler) timeLeft() time.Duration {
	bytes := f.spool.Bytes()
	return time.Duration(float64(f.size-bytes) / max(1, f.team.own.pace(bytes)) * float64(time.Second))
}

// callHelpers takes as many connections as are wanted and free. The caller holds the team's lock.
func (f *filler) callHelpers(ctx context.Context) {
	for f.team.helpers < f.job.in.ConnectionsPerArchive-1 && !f.parts.allTaken() && f.help(ctx) {
		f.team.helpers++
	}
}

// help begins to fetch parts on a connection of its own, if there is one free. Between two parts it lets those pass who
// wait for one.
func (f *filler) help(ctx context.Context) bool {
	connections := f.job.connections
	if !connections.TryAcquire(1) {
		return false
	}
	f.team.wait.Go(func() {
		holds := true
		f.team.report(f.work(ctx, func() bool {
			connections.Release(1)
			holds = !f.dismissed() && connections.TryAcquire(1)
			return holds
		}))
		if holds {
			connections.Release(1)
		}
		f.team.leave()
	})
	return true
}

func (f *filler) dismissed() bool {
	f.team.mu.Lock()
	defer f.team.mu.Unlock()
	return f.team.stage == alone
}

func (t *team) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.helpers--
}

// fetchTail fetches the archive's directory beside the rest, if there is a connection free.
func (f *filler) fetchTail(ctx context.Context) {
	if !f.job.connections.TryAcquire(1) {
		return
	}
	tail := f.parts.takeTail()
	f.team.wait.Go(func() {
		defer f.job.connections.Release(1)
		f.team.report(f.fetch(ctx, tail))
	})
}
