package sources

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Release is what a [Target] publishes: packages of one version of a provider. They have been verified, as
// installer.Installer.Fetch does.
type Release struct {
	Provider Provider
	Version  Version
	Archives []Archive // at least one, each for another platform

	// Statement is the origin's signed checksums, by which the archives were verified. Nil: they are not known.
	Statement *hashing.Statement
}

// Archive is the package for one platform, in a zip file.
type Archive struct {
	Platform Platform
	Path     string       // of the file; "": the target has it already, as [Target.Stored] says; if not: [*ReleaseError]
	Sum      hashing.Hash // zh of the file's bytes

	// H1 is the hash of the archive's contents, [hashing.Computed.Entries], by which terraform knows it. "": a target that
	// wants it computes it, which means to inflate the archive, without a limit.
	H1 hashing.Hash
}

// Check says which field cannot be published, with a [*ReleaseError]. Targets call it; some have limits of their own.
func (r *Release) Check() error {
	switch {
	case r.Provider.IsZero():
		return &ReleaseError{Field: "Provider", Problem: "is missing"}
	case r.Version.IsZero():
		return &ReleaseError{Field: "Version", Problem: "is missing"}
	case len(r.Archives) == 0:
		return &ReleaseError{Field: "Archives", Problem: "are missing"}
	}
	for i, a := range r.Archives {
		if problem := cmp.Or(a.problem(), r.problem(a.Platform, i)); problem != "" {
			return &ReleaseError{Field: fmt.Sprintf("Archives[%d]", i), Problem: problem}
		}
	}
	return nil
}

func (a *Archive) problem() string {
	switch {
	case !isHash(a.Sum, hashing.SchemeZH):
		return fmt.Sprintf("has the Sum %q, which is no zh hash in its usual spelling", a.Sum)
	case a.H1 != "" && !isHash(a.H1, hashing.SchemeH1):
		return fmt.Sprintf("has the H1 %q, which is no h1 hash", a.H1)
	}
	return ""
}

func isHash(h hashing.Hash, scheme string) bool {
	parsed, err := hashing.ParseHash(string(h))
	return err == nil && parsed == h && h.Scheme() == scheme
}

// problem says what is wrong about the platform of the archive i.
func (r *Release) problem(on Platform, i int) string {
	if _, err := ParsePlatform(on.String()); err != nil {
		return "has no valid Platform"
	}
	if slices.ContainsFunc(r.Archives[:i], func(a Archive) bool { return a.Platform == on }) {
		return fmt.Sprintf("is a second one for %s", on)
	}
	return ""
}

// ReleaseError says which field of a [Release] cannot be published: by any target, as [Release.Check] says, or by this one.
type ReleaseError struct {
	Field   string // "Archives[2]"
	Problem string
	Err     error // the cause, if there is another, of which Problem tells; otherwise nil
}

func (e *ReleaseError) Error() string { return "the release's " + e.Field + " " + e.Problem }

// Unwrap returns the cause, if there is another.
func (e *ReleaseError) Unwrap() error { return e.Err }

// ConflictError says that another archive was published for the same platform of the version. It is left as it is: a
// released package does not change.
type ConflictError struct {
	Address  string // of what is there: a file; "registry.example.com/mirror/rocket:1.2.3"; "providers.tar:HOST/acme/rocket:1.2.3" in a bundle
	Platform Platform
	Stored   hashing.Hash // zh of what is there; "" if that is not one archive
	Pushed   hashing.Hash // zh of what was to be published
}

func (e *ConflictError) Error() string {
	stored := cmp.Or(e.Stored.String(), "something that is not one archive")
	return fmt.Sprintf("%s is or has another package for %s: %s; it was not replaced by %s: find out which of them the provider's author has released, and remove the package if it is the wrong one",
		e.Address, e.Platform, stored, e.Pushed)
}

// StatementError says that a signed statement cannot be published with a version, because it leaves out or contradicts one
// of its packages, which those who verify it would then refuse.
type StatementError struct {
	Platform Platform // of that package
	Err      error    // a [*hashing.MismatchError] if the statement contradicts the package; it matches [ErrMalformed] if it is left out
}

func (e *StatementError) Error() string {
	return fmt.Sprintf("the signed checksums do not fit the package for %s: %v", e.Platform, e.Err)
}

// Unwrap returns the cause.
func (e *StatementError) Unwrap() error { return e.Err }
