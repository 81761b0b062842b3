//go:build !linux

package installer

import "errors"

// exchange swaps two paths in one step, which this system cannot do.
func exchange(_, _ string) error { return errors.ErrUnsupported }
