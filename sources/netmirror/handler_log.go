package netmirror

import (
	"context"
	"log/slog"
)

// message is one of those that [HandlerConfig.Logger] gets.
type message struct {
	level slog.Level
	text  string
}

// All messages. [HandlerConfig.Logger] lists them for those who read them.
var (
	msgFetched        = message{slog.LevelInfo, "fetched"}
	msgNotFetched     = message{slog.LevelWarn, "cannot fetch"}
	msgNotStored      = message{slog.LevelError, "cannot store"}
	msgDamaged        = message{slog.LevelError, "the store is damaged"}
	msgNotOnward      = message{slog.LevelWarn, "cannot publish onward"}
	msgNoAnswer       = message{slog.LevelWarn, "the source does not answer"}
	msgAnswerNotKept  = message{slog.LevelError, "cannot keep the source's answer"}
	msgAnswerNotRead  = message{slog.LevelError, "cannot read what the source answered"}
	msgRequestFailed  = message{slog.LevelWarn, "request failed"}
	msgRequestByStore = message{slog.LevelError, "request failed"}
)

// journal is where the messages go.
type journal struct{ logger *slog.Logger }

// note writes a message about a provider, one of its versions, or a package: as far as about has its parts.
func (j journal) note(ctx context.Context, m message, about parcel, more ...slog.Attr) {
	var attributes []slog.Attr
	add := func(known bool, key, value string) {
		if known {
			attributes = append(attributes, slog.String(key, value))
		}
	}
	add(!about.provider.IsZero(), "provider", about.provider.String())
	add(!about.version.IsZero(), "version", about.version.String())
	add(!about.platform.IsZero(), "platform", about.platform.String())
	j.logger.LogAttrs(ctx, m.level, m.text, append(attributes, more...)...)
}

// failed writes a message about something that failed.
func (j journal) failed(ctx context.Context, m message, about parcel, err error, more ...slog.Attr) {
	j.note(ctx, m, about, append(more, slog.Any("error", err))...)
}
