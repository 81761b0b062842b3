package ocimirror

import (
	"cmp"
	"fmt"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// ReleaseError says which field of a [Release] cannot be published.
type ReleaseError struct {
	Field   string // "Archives[2].Path"
	Problem string
}

func (e *ReleaseError) Error() string { return "the release's " + e.Field + " " + e.Problem }

// ConflictError says that another archive was published for the same platform of the version. It is left as it is: a
// released package does not change.
type ConflictError struct {
	Address  string // "registry.example.com/mirror/rocket:1.2.3"
	Platform sources.Platform
	Stored   hashing.Hash // zh of what is there; "" if that is not one archive
	Pushed   hashing.Hash // zh of what was to be published
}

func (e *ConflictError) Error() string {
	stored := cmp.Or(e.Stored.String(), "something that is not one archive")
	return fmt.Sprintf("%s has another package for %s: %s; it was not replaced by %s: find out which of them the provider's author has released",
		e.Address, e.Platform, stored, e.Pushed)
}

// StatementError says that a signed statement cannot be published with a version, because those who verify it would then
// refuse a package.
type StatementError struct {
	Platform sources.Platform // of that package
	Err      error
}

func (e *StatementError) Error() string {
	return fmt.Sprintf("the signed checksums do not fit the package for %s: %v", e.Platform, e.Err)
}

// Unwrap returns the cause.
func (e *StatementError) Unwrap() error { return e.Err }

// ContendedError says that others went on changing a version's tag. Packages are uploaded by then; publishing them again
// takes a few requests. It matches [sources.ErrUnavailable].
type ContendedError struct {
	Address  string // "registry.example.com/mirror/rocket:1.2.3"
	Attempts int
}

func (e *ContendedError) Error() string {
	return fmt.Sprintf("%s does not keep what is published: %d attempts were undone by others, or the registry shows old answers; publish again later",
		e.Address, e.Attempts)
}

// Is says that trying again may help.
func (e *ContendedError) Is(kind error) bool { return kind == sources.ErrUnavailable }
