package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/ocilayout"
	"github.com/purveyor-dev/purveyor/sources"
)

// What a [*FileError] can be about; compare with [errors.Is]. There is also [sources.ErrTooLarge].
var (
	ErrNotTar     = ocilayout.ErrNotTar     // something else than a tar archive
	ErrCompressed = ocilayout.ErrCompressed // a tar archive that is compressed
	ErrTruncated  = ocilayout.ErrTruncated  // the end is missing
	ErrUnsafeName = ocilayout.ErrUnsafeName // a name that is absolute or leads elsewhere
	ErrNotRegular = ocilayout.ErrNotRegular // a link, a device, a sparse file
	ErrDuplicate  = ocilayout.ErrDuplicate  // two files, or two versions, of one name
	ErrMissing    = ocilayout.ErrMissing    // something that a bundle has, or that a document leads to, is not there
	ErrMismatch   = ocilayout.ErrMismatch   // content that is not what its digest says
	ErrDocument   = ocilayout.ErrMalformed  // a document that is malformed
)

// FileError says what is wrong with the file of a bundle. It matches [sources.ErrMalformed].
type FileError struct {
	Bundle string // its path
	Entry  string // the file in it, or a name in its index; "" when the whole is meant
	Reason error  // one of the values above
	Detail string // for people; may be empty

	named bool // in the message around it
}

func (e *FileError) Error() string {
	text := (&ocilayout.Error{Entry: e.Entry, Kind: e.Reason, Detail: e.Detail}).Error()
	if e.named {
		return text
	}
	return e.Bundle + ": " + text
}

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Reason }

// Is makes the error one of kind ErrMalformed.
func (e *FileError) Is(kind error) bool { return kind == sources.ErrMalformed }

// fileError finds what is wrong with the file in an error that may come from far below, and otherwise returns that. What
// the file system refuses is no outage, as it would be of a registry: a chain must not pass over it.
func fileError(name string, err error) error {
	var wrong *ocilayout.Error
	var refused *fs.PathError
	switch {
	case errors.As(err, &wrong):
		return &FileError{Bundle: name, Entry: wrong.Entry, Reason: wrong.Kind, Detail: wrong.Detail}
	case errors.Is(err, sources.ErrUnavailable) && errors.As(err, &refused):
		return refused
	}
	return err
}

// sourceError is the error of a question to a bundle, or of an order to a writer, which names it.
func sourceError(asked sources.Error) error {
	var wrong *FileError
	if asked.Err = fileError("", asked.Err); errors.As(asked.Err, &wrong) {
		own := *wrong
		own.Bundle, own.named = strings.TrimPrefix(asked.Source, kind), true
		asked.Err = &own
	}
	return &asked
}

// failure returns what is wrong with the file, or an error that says what was asked of which bundle.
func (b *Bundle) failure(op string, err error) error {
	err = fileError(b.name, err)
	var wrong *FileError
	var asked *sources.Error
	if err == nil || errors.As(err, &wrong) || errors.As(err, &asked) {
		return err
	}
	return &sources.Error{Op: op, Source: b.String(), Err: err}
}

// kind begins what bundles call themselves.
const kind = "bundle "

// SignerError says that a package is not signed by any of the keys that [VerifyOptions] names.
type SignerError struct {
	Bundle   string
	Provider sources.Provider
	Version  sources.Version
	Platform sources.Platform
	Signer   *hashing.Signer // nil: it is not signed
}

func (e *SignerError) Error() string {
	text := "it is not signed"
	if e.Signer != nil {
		text = fmt.Sprintf("it is signed by %s, which is none of the keys that were asked for", e.Signer.Fingerprint)
	}
	return fmt.Sprintf("%s: the package of %s %s for %s: %s", e.Bundle, e.Provider, e.Version, e.Platform, text)
}

// CommitError says that a bundle could not be written.
type CommitError struct {
	Path string
	Err  error
}

func (e *CommitError) Error() string { return "writing " + e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CommitError) Unwrap() error { return e.Err }

// closedError says that a writer is not open any more. It matches [fs.ErrClosed].
type closedError struct{}

func (closedError) Error() string { return "the bundle has been committed or closed" }

// Is makes the error one of kind fs.ErrClosed.
func (closedError) Is(kind error) bool { return kind == fs.ErrClosed }
