package cliconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// implied sets the methods: the directories in their order, and the registries for every provider but the local ones.
func (c *Config) implied(opts Options, dirs []string, local []sources.Provider) {
	c.Implied = true
	for _, dir := range dirs {
		c.Methods = append(c.Methods, Method{
			Type:     methodNamed(opts.Methods, "filesystem_mirror"),
			Location: FilesystemMirror{Path: dir},
		})
	}
	c.Methods = append(c.Methods, Method{
		Type:     methodNamed(opts.Methods, "direct"),
		Location: Direct{},
		Exclude:  exactly(local),
	})
}

// exactly returns patterns for the providers, sorted and without repetition.
func exactly(providers []sources.Provider) []sources.Pattern {
	slices.SortFunc(providers, sources.Provider.Compare)
	var patterns []sources.Pattern
	for _, p := range slices.Compact(providers) {
		if pattern, err := sources.ParsePattern(p.String()); err == nil {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// providersIn returns the providers of which a mirror directory has a package, of any version and for any platform:
// host/namespace/type/version/os_arch/ or host/namespace/type/terraform-provider-*.zip. Directories with other names are
// ignored, and symbolic links to directories are not followed above the version. The error is about what could not be
// read; the rest is returned.
func providersIn(dir string) ([]sources.Provider, error) {
	var found []sources.Provider
	var errs []error
	types, err := directoriesAt(dir, 3)
	errs = append(errs, err)
	for _, parts := range types {
		provider, err := sources.ParseProvider(strings.Join(parts, "/"))
		if err != nil {
			continue
		}
		has, err := hasPackage(filepath.Join(dir, filepath.Join(parts...)))
		errs = append(errs, err)
		if has {
			found = append(found, provider)
		}
	}
	return found, errors.Join(errs...)
}

// directoriesAt returns the paths of the directories a number of levels down.
func directoriesAt(dir string, depth int) ([][]string, error) {
	if depth == 0 {
		return [][]string{nil}, nil
	}
	entries, err := os.ReadDir(dir)
	var paths [][]string
	errs := []error{err}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		below, err := directoriesAt(filepath.Join(dir, entry.Name()), depth-1)
		errs = append(errs, err)
		for _, path := range below {
			paths = append(paths, append([]string{entry.Name()}, path...))
		}
	}
	return paths, errors.Join(errs...)
}

func hasPackage(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if !entry.IsDir() && isArchiveName(entry.Name()) {
			return true, nil
		}
		if entry.IsDir() && hasPlatform(filepath.Join(dir, entry.Name())) {
			return true, nil
		}
	}
	return false, err
}

// isArchiveName recognises terraform-provider-<type>_<version>_<os>_<arch>.zip, in any case.
func isArchiveName(name string) bool {
	name, zip := strings.CutSuffix(strings.ToLower(name), ".zip")
	parts := strings.Split(name, "_")
	if !zip || len(parts) < 4 || !strings.HasPrefix(name, sources.ExecutablePrefix) {
		return false
	}
	_, err := sources.ParseVersion(parts[1])
	return err == nil
}

func hasPlatform(versionDir string) bool {
	if _, err := sources.ParseVersion(filepath.Base(versionDir)); err != nil {
		return false
	}
	entries, _ := os.ReadDir(versionDir)
	return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		_, err := sources.ParsePlatform(entry.Name())
		info, statErr := os.Stat(filepath.Join(versionDir, entry.Name()))
		return err == nil && statErr == nil && info.IsDir()
	})
}

// pathless leaves out the path of a file system error, where the message has it already.
func pathless(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
