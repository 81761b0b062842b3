//go:build !linux

package installer

import "errors"

// exchange swaps two paths in one step, which cannot be done here.
func exchange(_, _ string) error { return errors.ErrUnsupported }
