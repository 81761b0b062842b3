// Package fault holds the kinds of failure that code below package sources reports and package sources exports, so
// that an error need not be translated on its way up.
package fault

import "errors"

var (
	ErrUnauthorized = errors.New("unauthorized")
	ErrUnavailable  = errors.New("unavailable")
	ErrTooLarge     = errors.New("larger than the limit")
)
