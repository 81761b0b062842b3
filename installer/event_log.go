package installer

import (
	"log/slog"

	"github.com/purveyor-dev/purveyor/internal/notify"
)

// record returns what the log has of an event, with the attributes that the comment of Event lists.
func (e Event) record() notify.Record {
	var a notify.Attributes
	a.Text("provider", e.Provider.String())
	a.Add(!e.Version.IsZero(), slog.String("version", e.Version.String()))
	a.Add(!e.Platform.IsZero(), slog.String("platform", e.Platform.String()))
	a.Text("location", e.Location)
	a.Add(e.Bytes > 0, slog.Int64("bytes", e.Bytes))
	a.Add(e.Size > 0, slog.Int64("size", e.Size))
	a.Text("path", e.Path)
	if e.Proof != nil {
		a.Text("authority", e.Proof.Authority.String())
		if signer := e.Proof.Signer; signer != nil {
			a.Text("signer", signer.Fingerprint)
			a.Add(signer.Carried, slog.Bool("carried", true))
		}
	}
	a.Text("message", e.Message)
	a.Error(e.Err)
	return notify.Record{Message: "provider " + string(e.Kind), Attributes: a}
}

func (e Event) level() slog.Level {
	switch e.Kind {
	case EventFailed:
		return slog.LevelError
	case EventWarning, EventRetrying, EventHealed:
		return slog.LevelWarn
	case EventInstalled, EventLocked, EventFetched:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}
