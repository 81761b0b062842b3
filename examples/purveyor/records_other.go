//go:build !unix

package main

import "io/fs"

// isPrivate is false where the library keeps no records.
func isPrivate(fs.FileInfo) bool { return false }
