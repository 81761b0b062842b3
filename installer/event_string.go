package installer

import (
	"fmt"
	"strings"
)

// String returns a line for people: the kind, what the event is about, and the other fields that are set.
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
	return line
}

func (e Event) details() (details []string) {
	add := func(set bool, format string, value any) {
		if set {
			details = append(details, fmt.Sprintf(format, value))
		}
	}
	add(e.Message != "", "%s", e.Message)
	add(e.Err != nil, "%v", e.Err)
	add(e.Kind == EventProgress, "%d bytes", e.Bytes)
	add(e.Size > 0, "of %d bytes", e.Size)
	add(e.Location != "", "from %s", e.Location)
	add(e.Path != "", "in %s", e.Path)
	add(e.Proof != nil, "%v", e.Proof)
	return details
}

var _ fmt.Stringer = Event{}
