package ocimirror

import (
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
)

// check says which field of a release cannot be published here.
func check(r *sources.Release) error {
	if err := r.Check(); err != nil {
		return err
	}
	for i, a := range r.Archives {
		field := fmt.Sprintf("Archives[%d]", i)
		if tag := traceTag(r.Version, a.Platform); len(tag) > maxTag {
			return &sources.ReleaseError{Field: field, Problem: fmt.Sprintf("cannot be published: the version is too long for a tag, %q having more than %d characters", tag, maxTag)}
		}
	}
	return nil
}
