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
	var path *fs.PathError
	if !errors.As(err, &path) || !errors.Is(path, fs.ErrPermission) && !errors.Is(path, syscall.EROFS) {
		return record{}, false
	}
	dir := existing(filepath.Dir(path.Path))
	if isWritable(dir) {
		return record{}, false // it was reading that is not permitted, or one file
	}
	return record{Event: "error", Message: "cannot write in " + s.largest(dir) + ": " + path.Err.Error()}, true
}

// largest returns the directory that people know and is not writable either, if one is in that.
func (s *session) largest(dir string) string {
	known := []string{s.dir, s.dataDir()}
	if s.config != nil {
		known = append(known, s.config.PluginCacheDir)
	}
	for _, outer := range known {
		if outer != "" && strings.HasPrefix(dir, outer+string(filepath.Separator)) && !isWritable(outer) {
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

// isWritable tries it: permissions are not all that can stand in the way.
func isWritable(dir string) bool {
	file, err := os.CreateTemp(dir, ".purveyor-try-*")
	if err != nil {
		return false
	}
	file.Close()
	os.Remove(file.Name())
	return true
}
