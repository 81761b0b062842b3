package netmirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/sources"
)

// errNotStored says that the store does not have an archive.
var errNotStored = fmt.Errorf("%w: the store does not have the archive", sources.ErrNotFound)

// storeError is a failure of the store itself.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// storeFailure marks an error as one of the store, unless somebody has only given up.
func storeFailure(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &storeError{err}
}

// failureIn marks an error as one of the store if it is about a file below a directory of the store's.
func failureIn(dir string, err error) error {
	var file *fs.PathError
	if !errors.As(err, &file) {
		return err
	}
	within, outside := filepath.Rel(dir, file.Path)
	if outside != nil || !filepath.IsLocal(within) {
		return err
	}
	return storeFailure(err)
}

// pushFailure marks an error of publishing into the store as one of the store, unless it is what was to be published that
// does not fit what the source said before.
func pushFailure(err error) error {
	var statement *sources.StatementError
	var release *sources.ReleaseError
	var conflict *sources.ConflictError
	if errors.As(err, &statement) || errors.As(err, &release) || errors.As(err, &conflict) {
		return err
	}
	return storeFailure(err)
}

// isStoreFailure reports whether the store is to blame, rather than the source.
func isStoreFailure(err error) bool {
	var failure *storeError
	var damage *damageError
	return errors.As(err, &failure) || errors.As(err, &damage)
}

// damageError says that an archive in the store is not what the store's own documents say.
type damageError struct {
	path string
	err  error
}

func (e *damageError) Error() string { return e.path + " is damaged: " + e.err.Error() }
func (e *damageError) Unwrap() error { return e.err }

// unhealed returns why the store does not have an archive that could not be brought: that is because it was damaged, unless
// it may still be brought.
func unhealed(missing, failed error) error {
	var damage *damageError
	if !errors.As(missing, &damage) {
		return failed
	}
	for _, passing := range []error{errBusy, errClosing, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(failed, passing) {
			return failed
		}
	}
	return fmt.Errorf("%w; it cannot be fetched again: %w", missing, failed)
}
