package unzip

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/flate"
)

// Why an archive is refused; errors.Is finds them in an [*Error].
var (
	ErrUnsafeName  = errors.New("unsafe name")                   // leaves the directory, or means something else on some system
	ErrDuplicate   = errors.New("path taken by another entry")   // the same path, a twin of it, or a file where a directory is needed
	ErrNotRegular  = errors.New("not a plain file or directory") // links, devices, pipes, sockets, setuid, setgid, sticky
	ErrOverlap     = errors.New("overlapping or misplaced data") // entries sharing bytes with each other or with the directory
	ErrTooLarge    = errors.New("over a limit")                  // see [Limits]
	ErrUnsupported = errors.New("unsupported zip feature")       // encryption, other methods, split archives
	ErrEmpty       = errors.New("no files in the archive")
	ErrCorrupt     = errors.New("damaged archive") // not a zip archive, or not what its directory declares
)

// Error says which entry of an archive could not be extracted, and why.
type Error struct {
	Entry  string // the entry's name as the archive has it; "" when the archive as a whole is meant
	Reason error  // one of the Err… values of this package; nil for a failure that is not the archive's fault
	Err    error  // the details or the underlying failure; may be nil
}

// Error names the entry, quoted and cut to a bearable length, then the reason and the details.
func (e *Error) Error() string {
	what := e.Reason
	switch {
	case what == nil:
		what = e.Err
	case e.Err != nil:
		what = fmt.Errorf("%w: %w", e.Reason, e.Err)
	}
	if e.Entry == "" {
		return fmt.Sprintf("cannot extract archive: %v", what)
	}
	return fmt.Sprintf("cannot extract %.200q: %v", e.Entry, what)
}

// Unwrap gives the reason and the underlying failure.
func (e *Error) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Reason, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// refuse makes the error for an entry that breaks a rule.
func refuse(entry string, reason error, format string, args ...any) *Error {
	return &Error{Entry: entry, Reason: reason, Err: fmt.Errorf(format, args...)}
}

// readError tells damage in the archive from a failure to read it or to write what it holds.
func readError(entry string, err error) *Error {
	if isDamage(err) {
		return &Error{Entry: entry, Reason: ErrCorrupt, Err: err}
	}
	return &Error{Entry: entry, Err: err}
}

func isDamage(err error) bool {
	var failed *sourceError
	if errors.As(err, &failed) {
		return false
	}
	for _, damage := range []error{zip.ErrFormat, zip.ErrChecksum, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, damage) {
			return true
		}
	}
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}

// sourceError marks a failure to read the archive, whatever it is: a download that ends too early
// says io.ErrUnexpectedEOF as well, and that does not make the archive a damaged one.
type sourceError struct{ err error }

// Error is that of the failure.
func (e *sourceError) Error() string { return e.err.Error() }

// Unwrap gives the failure.
func (e *sourceError) Unwrap() error { return e.err }

// writeError recognises a path that is taken although the names differ: file systems know twins that no table of ours
// does.
func writeError(entry string, err error) *Error {
	if errors.Is(err, fs.ErrExist) {
		return &Error{Entry: entry, Reason: ErrDuplicate, Err: err}
	}
	return &Error{Entry: entry, Err: err}
}

var (
	_ error = (*Error)(nil)
	_ error = (*sourceError)(nil)
)
