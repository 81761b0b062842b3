package registrytest

import "errors"

// errClosed is why a closed server takes no more releases.
var errClosed = errors.New("the server is closed")

// Error is the type of all errors of this package.
type Error struct {
	Op   string // what was attempted: "add release", "make key"
	What string // to what: "acme/alpha 1.0.0"; may be empty
	Err  error  // why it failed
}

// Error says what failed, with what, and why.
func (e *Error) Error() string {
	text := "registrytest: " + e.Op
	if e.What != "" {
		text += " " + e.What
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
