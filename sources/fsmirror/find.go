package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// find returns the packages of a provider: unpacked ones first, then in the order of names. At least one, or an error.
func (s *Source) find(ctx context.Context, p sources.Provider) ([]located, error) {
	info, err := os.Stat(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &MissingError{Dir: s.dir}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", s.dir)
	}
	var found []located
	for _, host := range mirrorjson.HostNames(p.Host()) {
		dir, err := descend(s.dir, host, p.Namespace(), p.Type())
		if err != nil {
			return nil, err
		}
		if dir == "" {
			continue
		}
		here, err := packagesIn(ctx, dir, p)
		if err != nil {
			return nil, err
		}
		found = append(found, here...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: there are no packages of the provider below %s", sources.ErrNotFound, s.dir)
	}
	return found, nil
}

// descend goes down one directory for each name: the one with that very name, or else one that differs in case only.
// It returns "" when there is none.
func descend(dir string, names ...string) (string, error) {
	for _, name := range names {
		next := filepath.Join(dir, name)
		info, err := os.Stat(next)
		if errors.Is(err, fs.ErrNotExist) {
			if next, err = inOtherCase(dir, name); next == "" || err != nil {
				return "", err
			}
			info, err = os.Stat(next)
		}
		if err != nil || !info.IsDir() {
			return "", err
		}
		dir = next
	}
	return dir, nil
}

func inOtherCase(dir, name string) (string, error) {
	entries, err := readDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if strings.EqualFold(entry.Name(), name) {
			return filepath.Join(dir, entry.Name()), nil
		}
	}
	return "", nil
}

// packagesIn returns the packages in a provider's directory.
func packagesIn(ctx context.Context, dir string, p sources.Provider) ([]located, error) {
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var packed, unpacked []located
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, entry.Name())
		if pkg, ok := parsePacked(entry.Name(), p); ok {
			pkg.path = path
			packed = append(packed, pkg)
		} else if v, err := sources.ParseVersion(entry.Name()); err == nil {
			platforms, err := unpackedIn(path, v)
			if err != nil {
				return nil, err
			}
			unpacked = append(unpacked, platforms...)
		}
	}
	return append(unpacked, packed...), nil
}

// parsePacked reads a name like terraform-provider-TYPE_VERSION_OS_ARCH.zip.
func parsePacked(name string, p sources.Provider) (located, bool) {
	rest, ok := cutPrefixFold(name, sources.ExecutablePrefix+p.Type()+"_")
	if !ok || !strings.EqualFold(filepath.Ext(rest), ".zip") {
		return located{}, false
	}
	parts := strings.Split(rest[:len(rest)-len(".zip")], "_")
	if len(parts) < 3 {
		return located{}, false
	}
	v, errVersion := sources.ParseVersion(parts[0])
	on, errPlatform := sources.ParsePlatform(strings.ToLower(parts[1] + "_" + parts[2]))
	return located{version: v, platform: on, packed: true}, errVersion == nil && errPlatform == nil
}

func cutPrefixFold(name, prefix string) (string, bool) {
	if len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
		return "", false
	}
	return name[len(prefix):], true
}

// unpackedIn returns the packages in the directory of a version.
func unpackedIn(dir string, v sources.Version) ([]located, error) {
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var found []located
	for _, entry := range entries {
		on, err := sources.ParsePlatform(entry.Name())
		if err != nil {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			found = append(found, located{version: v, platform: on, path: path})
		}
	}
	return found, nil
}

// readDir lists a directory. What is no directory, or is gone by now, has no entries.
func readDir(dir string) ([]fs.DirEntry, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.ReadDir(dir)
}
