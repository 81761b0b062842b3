package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// Error collects what went wrong, one error for each package, version or want that failed. [errors.Is] and [errors.As] look
// into all.
type Error struct {
	Failures []*PackageError // at least one, in the order of addresses, the newest version first, and platforms
}

func (e *Error) Error() string {
	if len(e.Failures) == 1 {
		return e.Failures[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d failures:", len(e.Failures))
	for _, failure := range e.Failures {
		b.WriteString("\n- " + failure.Error())
	}
	return b.String()
}

// Unwrap returns the failures.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Failures))
	for i, failure := range e.Failures {
		errs[i] = failure
	}
	return errs
}

// PackageError says why one package is not in the mirror, or not out of it.
type PackageError struct {
	Provider sources.Provider
	Version  sources.Version  // zero when none could be chosen
	Platform sources.Platform // zero when it is about the whole version
	Origin   string           // [Want.Origin] of the want that could not be resolved; empty otherwise
	Err      error
}

func (e *PackageError) Error() string {
	subject := e.Provider.String()
	if !e.Version.IsZero() {
		subject += " " + e.Version.String()
	}
	if !e.Platform.IsZero() {
		subject += " for " + e.Platform.String()
	}
	if e.Origin != "" {
		subject += ", which " + e.Origin + " asks for"
	}
	return subject + ": " + e.problem()
}

// problem is the message without what was asked for, which stands before it.
func (e *PackageError) problem() string {
	err := e.Err
	var asked *sources.Error
	if !errors.As(err, &asked) || err != error(asked) {
		return err.Error()
	}
	return asked.Source + ": " + asked.Err.Error()
}

// Unwrap returns the cause.
func (e *PackageError) Unwrap() error { return e.Err }

// inner takes the error of a single fetch out of its wrapping, which says again what was fetched.
func inner(err error) error {
	var failure *installer.ProviderError
	if errors.As(err, &failure) {
		return failure.Err
	}
	return err
}

// fail reports a failure.
func (r *run) fail(e PackageError) *PackageError {
	r.send(Event{Kind: EventFailed, Provider: e.Provider, Version: e.Version, Platform: e.Platform, Err: e.Err})
	return &e
}

// asError returns the failures as one error. When the context has ended, the failures that this means are not worth a
// message each.
func asError(ctx context.Context, failures []*PackageError) error {
	if len(failures) == 0 {
		return nil
	}
	ended := ctx.Err()
	if ended == nil {
		return newError(failures)
	}
	failures = slices.DeleteFunc(failures, func(f *PackageError) bool { return errors.Is(f, ended) })
	cut := fmt.Errorf("cut off: %w", ended)
	if len(failures) == 0 {
		return cut
	}
	return errors.Join(cut, newError(failures))
}

func newError(failures []*PackageError) *Error {
	slices.SortStableFunc(failures, func(a, b *PackageError) int {
		return cmp.Or(a.Provider.Compare(b.Provider), b.Version.Compare(a.Version), a.Platform.Compare(b.Platform))
	})
	return &Error{failures}
}

// IncompleteError says that a source could not be asked which versions it has, so that it is not known what is wanted.
type IncompleteError struct {
	Source string
	Err    error
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("%s did not answer, and there may be versions that only it has: %v", e.Source, e.Err)
}

// Unwrap returns the cause.
func (e *IncompleteError) Unwrap() error { return e.Err }

// NotPrunableError says that a target is not [Prunable].
type NotPrunableError struct {
	Target string // by its String
}

func (e *NotPrunableError) Error() string {
	return e.Target + " cannot be pruned: this kind of mirror cannot say what it has; remove packages with the means of whoever runs it"
}
