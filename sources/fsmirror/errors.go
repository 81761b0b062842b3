package fsmirror

import (
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
)

// FileError says that an index or a statement in the mirror is not what it should be, and what is published would have to
// rest on it. It matches [sources.ErrMalformed].
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Is makes the error one of kind ErrMalformed.
func (e *FileError) Is(kind error) bool { return kind == sources.ErrMalformed }
