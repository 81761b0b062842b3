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

// SharedError says that nothing was removed from a directory, because a link makes it the home of another provider, too, whose
// packages would be gone as well.
type SharedError struct {
	Dir   string
	Other sources.Provider
}

func (e *SharedError) Error() string {
	return fmt.Sprintf("%s has the packages of %s, too, by a link: nothing was removed; delete the link first, or keep what both have", e.Dir, e.Other)
}
