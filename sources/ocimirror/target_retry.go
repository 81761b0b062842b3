package ocimirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// again repeats what fails for a reason that may pass, as often as an archive is worth.
func (t *Target) again(ctx context.Context, try func() error) error {
	pause := t.newBackoff()
	for attempt := 0; ; attempt++ {
		err := try()
		if err == nil || attempt >= t.source.connection.config.ArchiveRetries || !errors.Is(err, sources.ErrUnavailable) {
			return err
		}
		if ended := pause.wait(ctx); ended != nil {
			return fmt.Errorf("%w, before another attempt after this: %v", ended, err)
		}
	}
}

// backoff waits between attempts: longer each time, and with jitter, so that publishers who met do not meet again.
type backoff struct{ next time.Duration }

func (t *Target) newBackoff() *backoff {
	return &backoff{max(cmp.Or(t.config.Backoff, web.DefaultFirstBackoff), time.Millisecond)}
}

func (b *backoff) wait(ctx context.Context) error {
	timer := time.NewTimer(b.next/2 + rand.N(b.next/2+1))
	defer timer.Stop()
	b.next = min(2*b.next, web.MaxBackoff)
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stall returns how long an upload may come to nothing.
func (t *Target) stall() time.Duration { return cmp.Or(t.config.Stall, web.DefaultStall) }
