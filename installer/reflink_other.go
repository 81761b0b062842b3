//go:build !linux && !darwin

package installer

import "errors"

// reflink makes a copy that shares its blocks with the original, which this system cannot do.
func reflink(_, _ string) error { return errors.ErrUnsupported }
