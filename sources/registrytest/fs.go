package registrytest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// releasesFromFS finds the releases of Config.FS, in the order of their paths.
func releasesFromFS(tree fs.FS) ([]Release, error) {
	if tree == nil {
		return nil, nil
	}
	var releases []Release
	err := fs.WalkDir(tree, ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || dir == "." {
			return err
		}
		if !d.IsDir() {
			return fmt.Errorf("%s is a file where only directories can be", dir)
		}
		depth, isRelease := releaseDepth(dir)
		if !isRelease || depth != strings.Count(dir, "/")+1 {
			return nil
		}
		r, err := releaseFromFS(tree, dir)
		if err != nil {
			return err
		}
		releases = append(releases, r)
		return fs.SkipDir
	})
	return releases, err
}

// releaseDepth returns how many segments the directory of a version has: one more where the first is a host.
func releaseDepth(dir string) (depth int, ok bool) {
	first, _, _ := strings.Cut(dir, "/")
	depth = 3
	if strings.ContainsAny(first, ".:") {
		depth = 4
	}
	return depth, strings.Count(dir, "/")+1 >= depth
}

// releaseFromFS makes a release of the directory of a version, which has one directory for each platform.
func releaseFromFS(tree fs.FS, dir string) (Release, error) {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return Release{}, err
	}
	r := Release{
		Provider:  path.Dir(dir),
		Version:   path.Base(dir),
		Platforms: []string{},
		Files:     func(platform string) (fs.FS, error) { return fs.Sub(tree, path.Join(dir, platform)) },
	}
	for _, e := range entries {
		if !e.IsDir() {
			return Release{}, fmt.Errorf("%s is a file where only directories named os_arch can be", path.Join(dir, e.Name()))
		}
		r.Platforms = append(r.Platforms, e.Name())
	}
	return r, nil
}
