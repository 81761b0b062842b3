package installer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/unzip"
	"github.com/purveyor-dev/purveyor/sources"
)

// Error collects what went wrong, one error for each provider that failed. [errors.Is] and [errors.As] look into all.
type Error struct {
	Failures []*ProviderError // at least one, in the order of addresses
}

func (e *Error) Error() string {
	if len(e.Failures) == 1 {
		return e.Failures[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d providers failed:", len(e.Failures))
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

func asError(failures []*ProviderError) error {
	if len(failures) == 0 {
		return nil
	}
	slices.SortFunc(failures, func(a, b *ProviderError) int {
		return cmp.Or(a.Provider.Compare(b.Provider), a.Platform.Compare(b.Platform))
	})
	return &Error{Failures: failures}
}

// ProviderError says why one provider failed.
type ProviderError struct {
	Provider sources.Provider
	Version  sources.Version  // zero when none was selected
	Platform sources.Platform // that the package is for, in PhaseLock and PhaseFetch
	Phase    Phase
	Err      error
}

// Phase is what was being done when something failed.
type Phase string

// The phases in which a provider can fail.
const (
	PhaseResolve Phase = "resolve"
	PhaseInstall Phase = "install"
	PhaseLock    Phase = "lock"
	PhaseFetch   Phase = "fetch"
)

func (e *ProviderError) Error() string {
	subject := e.Provider.String()
	if !e.Version.IsZero() {
		subject += " " + e.Version.String()
	}
	if !e.Platform.IsZero() {
		subject += " for " + e.Platform.String()
	}
	// Sources name the provider in their errors; once is enough.
	var source *sources.Error
	if errors.As(e.Err, &source) && e.Err == error(source) {
		return fmt.Sprintf("cannot %s %s: %s: %v", e.Phase, subject, source.Source, source.Err)
	}
	return fmt.Sprintf("cannot %s %s: %v", e.Phase, subject, e.Err)
}

// Unwrap returns the cause.
func (e *ProviderError) Unwrap() error { return e.Err }

// NoMatchError says that a provider exists but none of its versions meets the constraints.
type NoMatchError struct {
	Constraints sources.Constraints
	Available   []sources.Version // oldest first; may be empty
	Asked       []sources.Asked   // what each source of a chain has; nil if the source is no chain
}

// shownVersions is how many versions an error message lists; the error has all.
const shownVersions = 10

func (e *NoMatchError) Error() string {
	if len(e.Available) == 0 {
		return "the provider has no versions"
	}
	newest := slices.Clone(e.Available[max(0, len(e.Available)-shownVersions):])
	slices.Reverse(newest)
	texts := make([]string, len(newest))
	for i, v := range newest {
		texts[i] = v.String()
	}
	msg := fmt.Sprintf("no version meets the constraints %q; there are %s", e.Constraints, strings.Join(texts, ", "))
	if more := len(e.Available) - len(newest); more > 0 {
		msg += fmt.Sprintf(" and %d older ones", more)
	}
	return msg
}

// LockedError says that the locked version does not meet the constraints.
type LockedError struct {
	Locked      sources.Version
	Constraints sources.Constraints
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("the dependency lock file has version %s, which does not meet the constraints %q; upgrade to select another (Request.Upgrade, or terraform init -upgrade)",
		e.Locked, e.Constraints)
}

// ReadonlyError says that the selection differs from a lock file that must not change.
type ReadonlyError struct {
	Missing     []sources.Provider // required but not locked
	Superfluous []sources.Provider // locked but not required
}

func (e *ReadonlyError) Error() string {
	var parts []string
	for _, p := range e.Missing {
		parts = append(parts, p.String()+" is required but not in the lock file")
	}
	for _, p := range e.Superfluous {
		parts = append(parts, p.String()+" is in the lock file but not required")
	}
	return "the dependency lock file would have to change, and the request is read-only: " + strings.Join(parts, "; ")
}

// UnusableError says that the selected version cannot be used here. Err is a [*sources.PlatformError] or a
// [*sources.ProtocolError].
type UnusableError struct {
	Source  string // that says so, by its String; empty: several
	Version sources.Version
	Usable  sources.Version // the newest version that meets the constraints and can be used; zero: none is known
	Err     error
}

func (e *UnusableError) Error() string {
	msg := e.Err.Error()
	if e.Source != "" {
		msg = e.Source + ": " + msg
	}
	if !e.Usable.IsZero() {
		msg += fmt.Sprintf("; version %s is the newest that can be used", e.Usable)
	}
	return msg
}

// Unwrap returns the cause.
func (e *UnusableError) Unwrap() error { return e.Err }

// ExecutableError says that a package contains no file that can be the provider's executable.
type ExecutableError struct {
	Want string // the name it must begin with
}

func (e *ExecutableError) Error() string {
	return fmt.Sprintf("the package contains no executable: no regular file named %s, %s_… or %s.exe", e.Want, e.Want, e.Want)
}

// ArchiveError says what is wrong with an archive: damaged, too large, or made to do harm.
type ArchiveError struct {
	Entry  string // the entry's name as the archive has it; empty when the archive as a whole is meant
	Reason error  // [ErrDamaged], or one of those that are declared with it
	Err    error  // the details; may be nil
}

func (e *ArchiveError) Error() string {
	return (&unzip.Error{Entry: e.Entry, Reason: e.Reason, Err: e.Err}).Error()
}

// Unwrap returns the reason and the details.
func (e *ArchiveError) Unwrap() []error { return []error{e.Reason, e.Err} }

// archiveError turns what the unpacking found wrong with an archive into an error of this package. Failures that are
// not the archive's fault stay what they are.
func archiveError(err error) error {
	var found *unzip.Error
	if !errors.As(err, &found) || found.Reason == nil {
		return err
	}
	return &ArchiveError{Entry: found.Entry, Reason: found.Reason, Err: found.Err}
}

// What an [*ArchiveError] can be about; compare with [errors.Is].
var (
	ErrUnsafeName  = unzip.ErrUnsafeName  // a name that leaves the directory, or means something else on some system
	ErrDuplicate   = unzip.ErrDuplicate   // two entries for one path, also if they differ in case only
	ErrNotRegular  = unzip.ErrNotRegular  // links, devices, pipes, sockets, setuid, setgid, sticky
	ErrOverlap     = unzip.ErrOverlap     // entries that share bytes
	ErrOverLimit   = unzip.ErrTooLarge    // more than Limits allow
	ErrUnsupported = unzip.ErrUnsupported // encryption, rare compression methods, split archives
	ErrNoFiles     = unzip.ErrEmpty       // an archive without files
	ErrDamaged     = unzip.ErrCorrupt     // not a zip archive, or not what its directory declares
)
