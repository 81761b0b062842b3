package main

import (
	"os"
	"path/filepath"
	"runtime"
)

// recordDir is where it is remembered what was verified: in the user's cache directory, if there is one that nobody else can
// write to. Nothing depends on it but speed.
func (s *session) recordDir() string {
	home := s.env.Getenv("XDG_CACHE_HOME")
	if home == "" && s.env.Getenv("HOME") != "" {
		home = filepath.Join(s.env.Getenv("HOME"), ".cache")
		if runtime.GOOS == "darwin" {
			home = filepath.Join(s.env.Getenv("HOME"), "Library", "Caches")
		}
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	dir := filepath.Join(home, "purveyor", "verified")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !isPrivate(info) {
		return ""
	}
	return dir
}
