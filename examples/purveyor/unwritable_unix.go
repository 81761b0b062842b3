//go:build unix

package main

import "golang.org/x/sys/unix"

// isForbidden reports whether the system says that a directory cannot be written in. Nothing is made there to try it.
func isForbidden(dir string) bool { return unix.Access(dir, unix.W_OK) != nil }
