package sources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/fault"
)

// The kinds of failure that callers act upon; compare with [errors.Is].
var (
	// ErrNotFound says that the source does not have the provider, the version or the package: "not here", and
	// nothing else. A [Chain] asks its next source.
	ErrNotFound = errors.New("not found")

	// ErrUnauthorized says that the server refused the request for want of (accepted) credentials: 401 or 403.
	ErrUnauthorized = fault.ErrUnauthorized

	// ErrUnavailable says that the source could not be reached or failed itself: no connection, a connection that
	// broke, 429, 5xx. Trying again later may help. A [Rule] with [OnOutage] lets a chain go on.
	ErrUnavailable = fault.ErrUnavailable

	// ErrMalformed says that an answer is not what the protocol prescribes.
	ErrMalformed = errors.New("malformed answer")

	// ErrTooLarge says that an answer is larger than its limit.
	ErrTooLarge = fault.ErrTooLarge
)

// Error is the error of one question to a [Source] or one order to a [Target]. Err says what went wrong; the rest, what was
// asked of whom.
type Error struct {
	// Op is what could not be done: "list versions" or "describe package" of a source; "publish packages", "list packages"
	// or "remove packages" of a target; "list packages" or "verify package" of a bundle.
	Op string

	// Source is who was asked: the String of a source or a target; "registry HOST" for package direct, whose source asks many;
	// "chain" when it is about all sources of a [Chain].
	Source string

	Provider Provider // zero when the question is about all providers
	Version  Version  // zero when the question is about all versions
	Platform Platform // zero when the question is about all platforms
	Err      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: cannot %s%s: %v", e.Source, e.Op, e.subject(), e.Err)
}

// subject returns " of PROVIDER VERSION for PLATFORM", as far as that is known.
func (e *Error) subject() string {
	var text string
	if !e.Provider.IsZero() {
		text = " of " + e.Provider.String()
	}
	if !e.Version.IsZero() {
		text += " " + e.Version.String()
	}
	if !e.Platform.IsZero() {
		text += " for " + e.Platform.String()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// PlatformError says that a version exists but has no package for the platform asked for. It matches [ErrNotFound].
type PlatformError struct {
	Platform  Platform   // asked for
	Available []Platform // that have packages, sorted; nil when the source does not say
}

func (e *PlatformError) Error() string {
	msg := "no package for " + e.Platform.String()
	if len(e.Available) == 0 {
		return msg
	}
	return msg + "; there are packages for " + joinStrings(e.Available)
}

// Is makes the error one of absence.
func (e *PlatformError) Is(target error) bool { return target == ErrNotFound }

// AbsentError says that none of several sources has what was asked for. It matches [ErrNotFound].
type AbsentError struct {
	Asked []string // the sources asked, by their String; empty when no rule of the chain includes the provider
}

func (e *AbsentError) Error() string {
	if len(e.Asked) == 0 {
		return "no configured source includes this provider"
	}
	return "not found in " + strings.Join(e.Asked, ", ")
}

// Is makes the error one of absence.
func (e *AbsentError) Is(target error) bool { return target == ErrNotFound }

// FieldError says that a field of a configuration, of a request or of another struct, or a parameter, makes a call
// impossible. Nothing was done.
type FieldError struct {
	Field   string // "Config.Repository", "HandlerConfig.Store"
	Problem string // "is required: where do packages come from?"
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// joinStrings joins the sorted texts of values with commas.
func joinStrings[T fmt.Stringer](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}
