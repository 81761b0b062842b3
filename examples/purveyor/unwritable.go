package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// unwritable returns the error that matters if one comes from a directory that cannot be written in: each file that was to be
// made there has its own.
func (s *session) unwritable(err error) (record, bool) {
	path, reason := made(err)
	if path == "" || !errors.Is(reason, fs.ErrPermission) && !errors.Is(reason, syscall.EROFS) {
		return record{}, false
	}
	dir := existing(filepath.Dir(path))
	return record{Event: "error", Message: "cannot write in " + s.largest(dir) + ": " + reason.Error()}, true
}

// made returns what could not be made, and why; "" if it may have been reading, or writing to a file that is there.
func made(err error) (path string, reason error) {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &link) && (link.Op == "rename" || link.Op == "symlink"):
		path, reason = link.New, link.Err
	case errors.As(err, &file) && (file.Op == "mkdir" || file.Op == "open" && isNew(file.Path)):
		path, reason = file.Path, file.Err
	}
	if !filepath.IsAbs(path) {
		return "", nil // it is relative to a directory that the error does not name
	}
	return path, reason
}

// isNew reports whether nothing is at a path: to open that for reading would not be forbidden, but fail otherwise.
func isNew(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// largest returns the directory that people know and is not writable either, if one is in that.
func (s *session) largest(dir string) string {
	known := []string{s.dir, s.dataDir()}
	if s.config != nil {
		known = append(known, s.config.PluginCacheDir)
	}
	for _, outer := range known {
		if outer != "" && strings.HasPrefix(dir, outer+string(filepath.Separator)) && isForbidden(outer) {
			return outer
		}
	}
	return dir
}

// existing returns the first directory on the way up that is there.
func existing(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
