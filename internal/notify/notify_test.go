package notify_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/notify"
)

func TestEventsComeOneAtATime(t *testing.T) {
	t.Parallel()
	total := 0 // without a lock of its own: the race detector would tell
	n := &notify.Notifier[int]{Notify: func(i int) { total += i }}
	var senders sync.WaitGroup
	for range 50 {
		senders.Go(func() { n.Send(1) })
		senders.Go(func() { n.Alone(func() { total++ }) })
	}
	senders.Wait()
	if total != 100 {
		t.Errorf("%d events came", total)
	}
}

func TestTheLogHasWhatApplies(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	n := &notify.Notifier[string]{
		Context: context.Background(),
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
		Level:   func(string) slog.Level { return slog.LevelWarn },
		Record: func(e string) notify.Record {
			var a notify.Attributes
			a.Text("event", e)
			a.Text("empty", "")
			a.Add(false, slog.Int("absent", 1))
			a.Error(nil)
			a.Error(errors.New("broken"))
			return notify.Record{Message: "it happened", Attributes: a}
		},
	}
	n.Send("this")
	if want := `level=WARN msg="it happened" event=this error=broken` + "\n"; !strings.HasSuffix(log.String(), want) {
		t.Errorf("the log is %s, want %s", &log, want)
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	new(notify.Notifier[int]).Send(1)
}
