//go:build unix && !linux

package filelock

// acquire opens and locks path, or fails with errBusy.
func acquire(path string) (*hold, error) { return posix.acquire(path) }
