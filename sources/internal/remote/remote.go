// Package remote is what sources that speak HTTP have in common: JSON documents, tokens, and the spellings of versions.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"unicode"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// Decode reads a document that must be one JSON object.
func Decode(doc *web.Document, into any) error {
	if !bytes.HasPrefix(bytes.TrimLeft(doc.Body, " \t\r\n"), []byte("{")) {
		return fmt.Errorf("%w: %s is not a JSON object", sources.ErrMalformed, web.Redact(doc.URL))
	}
	if err := json.Unmarshal(doc.Body, into); err != nil {
		return fmt.Errorf("%w: %s: %w", sources.ErrMalformed, web.Redact(doc.URL), err)
	}
	return nil
}

// CheckJSON refuses a document of another media type.
func CheckJSON(doc *web.Document) error {
	if doc.MediaType == "application/json" {
		return nil
	}
	return fmt.Errorf("%w: %s has media type %q, want application/json", sources.ErrMalformed, web.Redact(doc.URL), doc.MediaType)
}

// Token finds the credentials for a URL: those of its own origin, or else those of fallback if that is not zero. None go
// over plain http.
func Token(ctx context.Context, credentials sources.Credentials, u *url.URL, fallback sources.Host) (string, error) {
	if credentials == nil || u.Scheme != "https" {
		return "", nil
	}
	for _, host := range []sources.Host{originHost(u), fallback} {
		if host.IsZero() {
			continue
		}
		token, err := credentials.Token(ctx, host)
		if err != nil {
			return "", &sources.CredentialsError{Host: host, Err: err}
		}
		if token != "" {
			return string(token), nil
		}
	}
	return "", nil
}

// originHost returns the host whose credentials an https URL may carry; zero if it has no name that can have some.
func originHost(u *url.URL) sources.Host {
	host, err := sources.HostOfURL(u)
	if err != nil {
		return sources.Host{}
	}
	return host
}

// Spellings remembers how a server wrote the versions that it did not write in their canonical form. The zero value is
// ready; it is safe for concurrent use.
type Spellings struct {
	mu   sync.Mutex
	seen map[spelled]string
}

type spelled struct {
	provider sources.Provider
	version  sources.Version
}

// Note remembers a spelling.
func (t *Spellings) Note(p sources.Provider, v sources.Version, spelling string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if spelling == v.String() {
		delete(t.seen, spelled{p, v}) // the server has corrected itself
		return
	}
	if t.seen == nil {
		t.seen = make(map[spelled]string)
	}
	t.seen[spelled{p, v}] = spelling
}

// Of returns the spelling to ask for.
func (t *Spellings) Of(p sources.Provider, v sources.Version) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if spelling, ok := t.seen[spelled{p, v}]; ok {
		return spelling
	}
	return v.String()
}

// The most that is repeated of what a server says.
const (
	MaxShown    = 256  // characters of a name or a version, in a message
	maxWarnings = 20   // warnings in one answer
	maxWarning  = 1000 // characters of a warning
)

// Warnings makes a server's messages to the user fit to be shown: not too many, not too long, and without control
// characters, which could play tricks on a terminal.
func Warnings(texts []string) []string {
	var shown []string
	for _, text := range texts[:min(len(texts), maxWarnings)] {
		text = strings.Map(printable, text)
		if text = strings.TrimSpace(fmt.Sprintf("%.*s", maxWarning, text)); text != "" {
			shown = append(shown, text)
		}
	}
	return shown
}

// Bounded shortens a list of warnings of our own.
func Bounded(warnings []string) []string {
	if len(warnings) <= maxWarnings {
		return warnings
	}
	more := fmt.Sprintf("and %d more of the kind", len(warnings)-maxWarnings)
	return append(warnings[:maxWarnings:maxWarnings], more)
}

func printable(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}
