package ocimirror

import (
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
)

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
