//go:build !linux && !darwin

package installer

import "io/fs"

// stateOfFile knows no state here that would show every change: nothing is remembered.
func stateOfFile(fs.FileInfo) (fileState, bool) { return fileState{}, false }

// isPrivate takes a directory's privacy for granted, since nothing is remembered.
func isPrivate(info fs.FileInfo) bool { return info.IsDir() }
