package hashing

import (
	"fmt"
	"strings"
)

// SyntaxError says that a text is not a [Hash].
type SyntaxError struct {
	Text   string // as given
	Reason string // which rule it breaks
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid hash %q: %s", clip(e.Text), e.Reason)
}

// NameError says that a file of a package cannot be part of an h1 hash because of its name.
type NameError struct {
	Name   string // slash-separated, relative to the package
	Reason string // which rule it breaks
}

func (e *NameError) Error() string {
	return fmt.Sprintf("cannot hash the file %q: %s", clip(e.Name), e.Reason)
}

// FileTypeError says that something in a package directory is neither a file nor a directory: a symbolic link to a
// directory, a device, a pipe or a socket.
type FileTypeError struct {
	Path string // as opened
	Type string // what it is
}

func (e *FileTypeError) Error() string {
	return fmt.Sprintf("cannot hash %s: it is %s; a package has only files and directories, unpack it again", e.Path, e.Type)
}

// SumsError says which line of a SHA256SUMS document cannot be read.
type SumsError struct {
	Line   int    // from 1; 0 when it is about the document as a whole
	Reason string // what is wrong there
}

func (e *SumsError) Error() string {
	if e.Line == 0 {
		return "invalid SHA256SUMS: " + e.Reason
	}
	return fmt.Sprintf("invalid SHA256SUMS, line %d: %s", e.Line, e.Reason)
}

// By says who holds a package to its hashes.
type By string

// Who can hold a package to its hashes.
const (
	ByLock     By = "dependency lock file"
	BySource   By = "source"
	BySums     By = "SHA256SUMS document"        // a registry's, which must agree with what the registry says elsewhere
	ByOriginal By = "original that was verified" // of which this is a copy, or what became of it
)

// MismatchError says that a package is not the one that was locked, that its source describes, or that was verified. Do not
// use the package.
type MismatchError struct {
	By   By
	Want []Hash // of which one had to match, sorted
	Got  []Hash // what the package has, sorted
}

func (e *MismatchError) Error() string {
	advice := "the package is not the one that its source describes: do not use it, and report it to whoever runs the source"
	switch e.By {
	case ByLock:
		advice = "it was altered, or it is for a platform that the lock file does not cover: " +
			"do not use it unless you know why, in which case lock the provider again for this platform"
	case ByOriginal:
		advice = "it has changed since it was verified: fetch the package again"
	}
	return fmt.Sprintf("the package does not match the %s: it has %s, expected %s; %s",
		e.By, list(e.Got), list(e.Want), advice)
}

// UnverifiableError says that there are hashes to hold a package to, but none of a kind that was, or can be,
// computed: only "zh" for an unpacked directory, or only schemes that are not known.
type UnverifiableError struct {
	By   By     // ByLock or BySource
	Want []Hash // the hashes that could not be judged, sorted
	Got  []Hash // what the package has, sorted
}

func (e *UnverifiableError) Error() string {
	advice := "use a source that gives an h1 hash, or the zh hash of an archive"
	if e.By == ByLock {
		advice = "add an h1 hash by locking the provider again, or install from a source of archives"
	}
	return fmt.Sprintf("the %s cannot verify the package: it has %s, which cannot be compared with %s; %s",
		e.By, list(e.Got), list(e.Want), advice)
}

// list writes hashes in full: people compare them by eye, and search for them.
func list(hashes []Hash) string {
	if len(hashes) == 0 {
		return "no hash"
	}
	texts := make([]string, len(hashes))
	for i, h := range hashes {
		texts[i] = string(h)
	}
	return strings.Join(texts, " or ")
}

// clip keeps a text from outside from filling a screen.
func clip(s string) string {
	const limit = 120
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "…"
}
