package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
)

// human prints records for people, those that they need to know.
type human struct {
	out, err io.Writer
	env      cliconfig.Environment
	show     func(path string) string
	quiet    bool // only what is wrong
	style    styler
}

var _ printer = (*human)(nil)

func (h *human) print(r record) {
	switch r.Event {
	case "error":
		h.problem("Error", r)
	case string(installer.EventWarning):
		h.problem("Warning", r)
	case "interrupted":
		h.problem("Interrupted", r)
	default:
		if line := h.line(r); line != "" && !h.quiet {
			fmt.Fprintln(h.out, printable(strings.ReplaceAll(line, "\n", " ")))
		}
	}
}

func (h *human) packages(all []record) {
	for _, r := range all {
		h.print(r)
	}
}

func (*human) close() {}

var kindStyles = map[string]style{"Error": red, "Warning": yellow, "Interrupted": bold}

// problem prints something with a hint.
func (h *human) problem(kind string, r record) {
	if r.frame != "" {
		fmt.Fprint(h.err, r.frame)
		h.hint(r)
		return
	}
	text := r.Message
	if r.Event == string(installer.EventWarning) && r.Provider != "" {
		text = r.Provider + ": " + text
	}
	fmt.Fprintln(h.err, h.style.apply(kindStyles[kind], kind+":")+" "+printable(text))
	h.hint(r)
}

func (h *human) hint(r record) {
	for hint := range strings.Lines(r.Hint) {
		fmt.Fprintln(h.err, printable("  "+strings.TrimSuffix(hint, "\n")))
	}
}

// line returns what people are told about an event; "" if nothing.
func (h *human) line(r record) string {
	subject := r.Provider + " " + r.Version
	switch r.Event {
	case "note":
		return "Note: " + r.Message
	case string(installer.EventFetching):
		return fmt.Sprintf("%s: downloading %s%s", subject, sizeFrom(r.Size), r.Location)
	case string(installer.EventRetrying):
		return fmt.Sprintf("%s: %s begins again: %s", subject, retried(r), r.Message)
	case string(installer.EventWaiting):
		return subject + ": waiting for another process that installs the same package"
	case string(installer.EventVerified):
		if len(r.Present) == 0 {
			return "" // the event of a download
		}
		return fmt.Sprintf("%s: %s, %s", subject, strings.Join(r.Present, ", "), trust(r))
	case string(installer.EventHealed):
		return subject + ": replaced a damaged package"
	case "package":
		return fmt.Sprintf("%s: %s, %s", subject, origin(r), trust(r))
	case "lock":
		return fmt.Sprintf("%s: locked for %s: %s", subject, strings.Join(r.Platforms, ", "), count(r.Hashes, "hash", "hashes"))
	case "pushed":
		return fmt.Sprintf("%s: %s", subject, published(r))
	case "mirrored":
		return fmt.Sprintf("%s: %s", subject, mirrored(r))
	case "surplus":
		return fmt.Sprintf("%s: not asked for: %s", subject, strings.Join(r.Present, ", "))
	case "cached":
		return fmt.Sprintf("%s for %s: %s, used %s%s", subject, r.Platform, cmp.Or(size(r.Size), "empty"), r.Used, unready(r.Message))
	case "checked":
		return fmt.Sprintf("%s for %s: %s", subject, r.Platform, r.Message)
	case "spared":
		return fmt.Sprintf("%s: in use for %s, and kept", subject, r.Platform)
	case "removed":
		return fmt.Sprintf("%s: removed for %s", subject, r.Platform)
	case "lockfile":
		return fmt.Sprintf("%s: %s", h.show(r.Path), cmp.Or(lockfileTexts[r.Message], r.Message))
	}
	return ""
}

// retried says what was in vain.
func retried(r record) string {
	if r.Path != "" {
		return "the package has gone from the cache, and its installation"
	}
	return "the download broke and"
}

var lockfileTexts = map[string]string{
	"changed":   "changed; it belongs in version control",
	"unchanged": "unchanged",
}

// origin says where an installed package has come from.
func origin(r record) string {
	switch {
	case r.Bytes > 0:
		return "installed"
	case r.Location != "":
		return "installed from " + r.Location
	case r.Stored != "":
		return "installed from the cache"
	}
	return "already installed"
}

// published says what has become of packages.
func published(r record) string {
	if len(r.Added) == 0 {
		return fmt.Sprintf("%s has it for %s", r.Location, strings.Join(r.Present, ", "))
	}
	text := fmt.Sprintf("published for %s in %s, %s", strings.Join(r.Added, ", "), r.Location, trust(r))
	if len(r.Present) > 0 {
		text += "; it was there for " + strings.Join(r.Present, ", ")
	}
	return text
}

// unready says that a package is not what it should be.
func unready(state string) string {
	if state == string(installer.CacheReady) {
		return ""
	}
	return ", " + state
}

// mirrored says what a mirror has of a version.
func mirrored(r record) string {
	var parts []string
	for _, p := range []struct {
		what      string
		platforms []string
	}{{"added", r.Added}, {"there already", r.Present}, {"not to be had", r.Missing}} {
		if len(p.platforms) > 0 {
			parts = append(parts, p.what+": "+strings.Join(p.platforms, ", "))
		}
	}
	if len(r.Keys) > 1 {
		return strings.Join(append(parts, "signed by the keys "+strings.Join(r.Keys, ", ")), "; ")
	}
	return strings.Join(append(parts, trust(r)), "; ")
}

// trust says what the verification of a package rests on.
func trust(r record) string {
	var parts []string
	if r.Locked {
		parts = append(parts, "as locked")
	}
	switch {
	case r.Key != "":
		parts = append(parts, "signed by "+signer(r))
	case r.Authority == hashing.Reported.String():
		parts = append(parts, "as its source reports, not signed")
	case !r.Locked:
		parts = append(parts, "not verified: nobody vouches for it yet")
	}
	if r.Expired != "" {
		parts = append(parts, "expired on "+r.Expired)
	}
	return strings.Join(parts, ", ")
}

// signer names the key that signed a package and its owner, and says if only a mirror vouches for it.
func signer(r record) string {
	text := strings.TrimPrefix(r.Signer+", key "+r.Key, ", ")
	if r.Carried {
		text += " (key from the mirror)"
	}
	return text
}

// sizeFrom returns "4.8 MB from " for a number of bytes; "" if it is not known.
func sizeFrom(bytes int64) string {
	if text := size(bytes); text != "" {
		return text + " from "
	}
	return ""
}

// size returns "4.8 MB", which has eight characters at most; "" for nothing.
func size(bytes int64) string {
	if bytes <= 0 {
		return ""
	}
	number, unit := float64(bytes)/1e3, 0
	for ; number >= 999.95; unit++ { // which would be written with four digits
		number /= 1e3
	}
	return fmt.Sprintf("%.1f %cB", number, "kMGTPE"[unit])
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// printable replaces what could control a terminal: some of the text comes from servers.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}
