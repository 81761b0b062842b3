package mirror_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/installer"
)

// logLevels are the messages of the log, besides the installer's.
var logLevels = map[string]slog.Level{
	"mirror present": slog.LevelDebug, "mirror missing": slog.LevelDebug, "mirror fetching": slog.LevelDebug, "mirror fetched": slog.LevelDebug,
	"mirror published": slog.LevelInfo, "mirror removed": slog.LevelInfo, "mirror warning": slog.LevelWarn, "mirror failed": slog.LevelError,
}

var logKeys = strings.Fields("provider version platform location bytes size path address digest authority signer carried message error")

// watcher is a handler of log records, too.
var _ slog.Handler = (*watcher)(nil)

func (w *watcher) Enabled(context.Context, slog.Level) bool { return true }
func (w *watcher) WithAttrs([]slog.Attr) slog.Handler       { return w }
func (w *watcher) WithGroup(string) slog.Handler            { return w }

func (w *watcher) Handle(ctx context.Context, r slog.Record) error {
	values := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		if !slices.Contains(logKeys, a.Key) || a.Key != "error" && a.Value.Kind() == slog.KindAny || a.Value.String() == "" {
			w.Errorf("the record %q has %s", r.Message, a)
		}
		values[a.Key] = a.Value
		return true
	})
	if ctx.Value(watchKey{}) != w {
		w.Errorf("the record %q has another context than the call", r.Message)
	}
	if w.next != nil && w.next.Enabled(ctx, r.Level) {
		_ = w.next.Handle(ctx, r.Clone())
	}
	if level, ours := logLevels[r.Message]; !ours {
		w.checkInstallers(r)
		return nil
	} else if r.Level != level {
		w.Errorf("the record %q has the level %s", r.Message, r.Level)
	}
	line := strings.TrimPrefix(r.Message, "mirror ")
	for _, key := range []string{"provider", "version", "platform"} {
		if v, ok := values[key]; ok {
			line += " " + v.String()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records = append(w.records, line)
	return nil
}

// installersKinds are those of the events that a download can have.
var installersKinds = []installer.EventKind{
	installer.EventFetching, installer.EventProgress, installer.EventRetrying, installer.EventUnpacking, installer.EventVerified, installer.EventFetched, installer.EventFailed,
}

func (w *watcher) checkInstallers(r slog.Record) {
	kind, ok := strings.CutPrefix(r.Message, "provider ")
	if !ok || !slices.Contains(installersKinds, installer.EventKind(kind)) {
		w.Errorf("there is a record %q", r.Message)
	}
}

// finishLog compares the log with the events.
func (w *watcher) finishLog() {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.records)
	if slices.Sort(w.events); !slices.Equal(w.events, w.records) {
		w.Errorf("the log has\n%s\nand the events are\n%s", strings.Join(w.records, "\n"), strings.Join(w.events, "\n"))
	}
}
