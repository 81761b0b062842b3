package installer_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
)

// logLevels are those of all kinds, as the comment of Event has them.
var logLevels = map[installer.EventKind]slog.Level{
	installer.EventResolving: slog.LevelDebug,
	installer.EventResolved:  slog.LevelDebug,
	installer.EventPresent:   slog.LevelDebug,
	installer.EventCacheHit:  slog.LevelDebug,
	installer.EventWaiting:   slog.LevelDebug,
	installer.EventFetching:  slog.LevelDebug,
	installer.EventProgress:  slog.LevelDebug,
	installer.EventUnpacking: slog.LevelDebug,
	installer.EventVerified:  slog.LevelDebug,
	installer.EventRetrying:  slog.LevelWarn,
	installer.EventHealed:    slog.LevelWarn,
	installer.EventWarning:   slog.LevelWarn,
	installer.EventInstalled: slog.LevelInfo,
	installer.EventLocked:    slog.LevelInfo,
	installer.EventFetched:   slog.LevelInfo,
	installer.EventFailed:    slog.LevelError,
}

// logAttributes are the keys of log records, as the comment of Event has them, with the kinds of their values.
var logAttributes = map[string]slog.Kind{
	"provider": slog.KindString, "version": slog.KindString, "platform": slog.KindString, "location": slog.KindString,
	"bytes": slog.KindInt64, "size": slog.KindInt64, "path": slog.KindString, "authority": slog.KindString,
	"signer": slog.KindString, "carried": slog.KindBool, "message": slog.KindString, "error": slog.KindAny,
}

// strictLog fails the test if a record is not as the comment of Event promises.
type strictLog struct {
	t    testing.TB
	seen func(ctx context.Context, message string, attributes map[string]slog.Value) // may be nil
}

func (l strictLog) Enabled(context.Context, slog.Level) bool { return true }
func (l strictLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l strictLog) WithGroup(string) slog.Handler            { return l }

func (l strictLog) Handle(ctx context.Context, r slog.Record) error {
	kind, ok := strings.CutPrefix(r.Message, "provider ")
	if level, known := logLevels[installer.EventKind(kind)]; !ok || !known || level != r.Level {
		l.t.Errorf("log: %q has the level %s", r.Message, r.Level)
	}
	all := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		if kind, known := logAttributes[a.Key]; !known || a.Value.Kind() != kind || !meaningful(a.Value) {
			l.t.Errorf("log: %q has %s", r.Message, a)
		}
		all[a.Key] = a.Value
		return true
	})
	if _, ok := all["provider"]; !ok {
		l.t.Errorf("log: %q is about nobody", r.Message)
	}
	if l.seen != nil {
		l.seen(ctx, r.Message, all)
	}
	return nil
}

// meaningful: what does not apply is left out.
func meaningful(v slog.Value) bool {
	switch v.Kind() {
	case slog.KindString:
		return v.String() != "" && !strings.HasPrefix(v.String(), "&{")
	case slog.KindInt64:
		return v.Int64() > 0
	case slog.KindBool:
		return v.Bool()
	}
	_, ok := v.Any().(error)
	return ok
}

var _ slog.Handler = strictLog{}

// Log records are made with the context of the call, and name the key that signed.
func TestLogRecordsHaveTheContextAndTheSigner(t *testing.T) {
	t.Parallel()
	type trace struct{}
	f := setup(t, release("acme/alpha", "1.0.0"))
	var signers, messages []string
	f.in.Logger = slog.New(strictLog{t, func(ctx context.Context, message string, all map[string]slog.Value) {
		if ctx.Value(trace{}) != "id" {
			t.Errorf("%q is not in the context of the call", message)
		}
		if signer, ok := all["signer"]; ok {
			signers = append(signers, signer.String())
		}
		messages = append(messages, message)
	}})
	result, err := f.in.Install(context.WithValue(t.Context(), trace{}, "id"), require("acme/alpha", ""))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{result.Packages[0].Proof.Signer.Fingerprint}; !slices.Equal(signers, want) {
		t.Errorf("signers are %q, want %q", signers, want)
	}
	if !slices.Contains(messages, "provider fetching") || !slices.Contains(messages, "provider progress") {
		t.Errorf("messages are %q", messages)
	}
}
