package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// choiceHint is about versions, lock files and packages.
func (s *session) choiceHint(f *installer.ProviderError, err error) []string {
	var locked *installer.LockedError
	var readonly *installer.ReadonlyError
	var conflict *sources.ConflictError
	var mismatch *hashing.MismatchError
	var none *installer.NoMatchError
	switch {
	case errors.As(err, &locked):
		return []string{"purveyor install -upgrade selects another version and changes the lock file."}
	case errors.As(err, &readonly):
		return []string{"Without -lockfile=readonly, purveyor install changes the lock file."}
	case errors.As(err, &conflict) && f != nil && f.Phase == phasePush: // no other command has the flag
		return []string{"With -replace, it is replaced all the same."}
	case errors.As(err, &mismatch) && mismatch.By == hashing.ByLock:
		return []string{fmt.Sprintf("If the lock file was made on another platform: purveyor lock -platform=%s", s.target())}
	case errors.As(err, &none) && f != nil:
		return bareHint(s.asked(f.Provider))
	case errors.Is(err, installer.ErrNoArchive):
		return []string{"A mirror of archives is needed, such as \"terraform providers mirror\" and \"tofu providers mirror\" make."}
	}
	return nil
}

// asked returns the constraints for a provider as they stand in the command line; "" if they stand elsewhere. Their normal form
// does not do: there, "= 1.5.0" has no operator either.
func (s *session) asked(p sources.Provider) string {
	for _, r := range s.named {
		if r.provider == p {
			return r.text
		}
	}
	return ""
}

// bareNumber is a version without an operator that people may take for a series: 3, 3.1, 3.0.0.
var bareNumber = regexp.MustCompile(`^(\d+)(?:\.(\d+))?(?:\.0)?$`)

// bareHint says what a constraint without an operator means.
func bareHint(text string) []string {
	m := bareNumber.FindStringSubmatch(text)
	switch {
	case m == nil:
		return nil
	case m[2] == "" || m[2] == "0":
		return []string{fmt.Sprintf("%s means = %s.0.0; ~> %s.0 allows all of %s.x.", text, m[1], m[1], m[1])}
	}
	series := m[1] + "." + m[2]
	return []string{fmt.Sprintf("%s means = %s.0; ~> %s.0 allows all of %s.x.", text, series, series, series)}
}

const lockFileHint = "Restore it from version control; or remove it, and purveyor install writes a new one, trusting the registry."

// bundleHint is about the file of a bundle.
func bundleHint(e *bundle.FileError) []string {
	cut := errors.Is(e, bundle.ErrTruncated) || errors.Is(e, bundle.ErrMissing)
	foreign := errors.Is(e, bundle.ErrNotTar) || errors.Is(e, bundle.ErrMissing) && !strings.HasPrefix(e.Entry, "blobs/")
	switch {
	case foreign:
		return []string{"It is not a bundle: purveyor bundle export writes them."}
	case cut && e.Entry == "":
		return []string{"Copy the bundle again; it is incomplete, if it is one."}
	case cut:
		return []string{"Copy the bundle again; it is incomplete."}
	case errors.Is(e, bundle.ErrMismatch):
		return []string{"Copy the bundle again; if that does not help, do not use it."}
	}
	return nil
}
