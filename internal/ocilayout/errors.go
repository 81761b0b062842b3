package ocilayout

import (
	"errors"

	"github.com/purveyor-dev/purveyor/internal/fault"
)

// What an [*Error] can be about; compare with errors.Is.
var (
	ErrNotTar     = errors.New("this is no tar archive")
	ErrCompressed = errors.New("the archive is compressed; decompress it first")
	ErrTruncated  = errors.New("the archive is cut off")
	ErrUnsafeName = errors.New("the name is not a plain relative path")
	ErrNotRegular = errors.New("this is neither a regular file nor a directory")
	ErrDuplicate  = errors.New("there are two of this name")
	ErrMissing    = errors.New("it is not there")
	ErrMismatch   = errors.New("the content is not what its digest or size says")
	ErrMalformed  = errors.New("the document is malformed")
	ErrTooLarge   = fault.ErrTooLarge
)

// Error says what is wrong with an image layout, or with the tar that it is in.
type Error struct {
	Entry  string // the file in the layout, or a name in its index; "" when the whole is meant
	Kind   error  // one of the values above
	Detail string // more, for people; may be empty
}

func (e *Error) Error() string {
	text := e.Kind.Error()
	if e.Entry != "" {
		text = shown(e.Entry) + ": " + text
	}
	if e.Detail != "" {
		text += " (" + shown(e.Detail) + ")"
	}
	return text
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }
