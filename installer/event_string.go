package installer

import (
	"fmt"
	"strings"
	"unicode"
)

// String returns a line for people: the kind, what the event is about, and the other fields that are set. Whatever servers
// and errors say, it is one line, and fit for a terminal.
func (e Event) String() string {
	about := []string{string(e.Kind), e.Provider.String()}
	if !e.Version.IsZero() {
		about = append(about, e.Version.String())
	}
	if !e.Platform.IsZero() {
		about = append(about, e.Platform.String())
	}
	line := strings.Join(about, " ")
	if details := e.details(); len(details) > 0 {
		line += ": " + strings.Join(details, ", ")
	}
	return strings.Map(printable, line)
}

func printable(r rune) rune {
	switch {
	case unicode.IsPrint(r):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ReplacementChar
}

func (e Event) details() (details []string) {
	add := func(set bool, format string, value any) {
		if set {
			details = append(details, fmt.Sprintf(format, value))
		}
	}
	add(e.Message != "", "%s", e.Message)
	add(e.Err != nil, "%v", e.Err)
	switch {
	case e.Kind == EventProgress && e.Size > 0:
		details = append(details, fmt.Sprintf("%d of %d bytes", e.Bytes, e.Size))
	case e.Kind == EventProgress:
		details = append(details, fmt.Sprintf("%d bytes", e.Bytes))
	default:
		add(e.Size > 0, "%d bytes", e.Size)
	}
	add(e.Location != "", "from %s", e.Location)
	add(e.Path != "", "in %s", e.Path)
	add(e.Proof != nil, "%v", e.Proof)
	return details
}

var _ fmt.Stringer = Event{}
