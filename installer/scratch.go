package installer

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	scratchPrefix = ".purveyor-scratch-" // begins the names of files that Lock reads once
	fetchPrefix   = ".purveyor-fetch-"   // begins the names of archives that Fetch has not verified yet
)

// abandonedAfter is how long nothing was written to a file of a download that goes on no more: its process was killed.
const abandonedAfter = 24 * time.Hour

// scratchFile makes a file that is read once, beside the packages if there is a directory for them. Where the system
// allows it, it has no name, so that nothing is left of it when the process is killed; elsewhere the next one removes
// it.
func (r *run) scratchFile() (*os.File, error) {
	base := cmp.Or(r.in.CacheDir, r.in.Dir)
	if base != "" {
		if err := os.MkdirAll(base, 0o755); err != nil {
			return nil, err
		}
		for _, path := range leftovers(base, scratchPrefix) {
			_ = os.Remove(path) // Windows does not remove what is in use
		}
	}
	file, err := os.CreateTemp(base, scratchPrefix)
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name())
	return file, nil
}

// fetchFile makes a file in dir for an archive, and removes those that killed processes left long ago. There is no lock
// that tells the others, which may be in use.
func fetchFile(dir string) (*os.File, error) {
	for _, path := range leftovers(dir, fetchPrefix) {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.Remove(path)
		}
	}
	return os.CreateTemp(dir, fetchPrefix)
}

// leftovers returns the paths of the files in dir that [os.CreateTemp] can have made with this prefix. The directory may
// have anything else in it.
func leftovers(dir, prefix string) (paths []string) {
	entries, _ := os.ReadDir(dir) // making a file there will fail as well
	for _, entry := range entries {
		random, ok := strings.CutPrefix(entry.Name(), prefix)
		if ok && random != "" && strings.Trim(random, "0123456789") == "" && entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}
