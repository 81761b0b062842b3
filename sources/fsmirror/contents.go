package fsmirror

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
)

// Contents returns the versions of each provider that the directory has packages of, and their platforms, both sorted: what
// [Target.Remove] can remove, whether an index lists it or not. Unpacked packages, those under other names or in other places
// than a target gives them, and everything else that is in the directory are not mentioned. A directory that does not exist
// has nothing.
func (t *Target) Contents(ctx context.Context) (map[sources.Provider][]sources.Available, error) {
	contents, err := t.contents(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot list the packages: %w", t, err)
	}
	return contents, nil
}

func (t *Target) contents(ctx context.Context) (map[sources.Provider][]sources.Available, error) {
	contents := make(map[sources.Provider][]sources.Available)
	homes, err := subdirectories(ctx, t.dir, 3) // host, namespace, type
	if err != nil {
		return nil, err
	}
	for _, home := range homes {
		p, ok := t.resident(home)
		if !ok {
			continue
		}
		versions, err := versionsIn(home, p)
		if err != nil {
			return nil, err
		}
		if len(versions) > 0 {
			contents[p] = versions
		}
	}
	return contents, nil
}

// subdirectories returns the directories that are so many levels down.
func subdirectories(ctx context.Context, dir string, levels int) ([]string, error) {
	if levels == 0 {
		return []string{dir}, ctx.Err()
	}
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, entry := range entries {
		below, err := subdirectories(ctx, filepath.Join(dir, entry.Name()), levels-1)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// resident returns the provider whose home a directory is.
func (t *Target) resident(dir string) (sources.Provider, bool) {
	inside, err := filepath.Rel(t.dir, dir)
	if err != nil {
		return sources.Provider{}, false
	}
	rest, kind := filepath.Split(inside)
	name, namespace := filepath.Split(filepath.Clean(rest))
	host, err := sources.HostOfURL(&url.URL{Host: filepath.Clean(name)}) // which can be in the ASCII form
	if err != nil {
		return sources.Provider{}, false
	}
	p, err := sources.ParseProvider(host.String() + "/" + namespace + "/" + kind)
	if err != nil {
		return sources.Provider{}, false
	}
	home, err := t.home(p)
	return p, err == nil && home == dir
}

// versionsIn returns the versions that have packages in their usual places in the home of a provider.
func versionsIn(dir string, p sources.Provider) ([]sources.Available, error) {
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	platforms := make(map[sources.Version][]sources.Platform)
	for _, entry := range entries {
		pkg, ok := parsePacked(entry.Name(), p)
		if ok && entry.Name() == sources.ArchiveName(p, pkg.version, pkg.platform) {
			platforms[pkg.version] = append(platforms[pkg.version], pkg.platform)
		}
	}
	var versions []sources.Available
	for v, on := range platforms {
		slices.SortFunc(on, sources.Platform.Compare)
		versions = append(versions, sources.Available{Version: v, Platforms: on})
	}
	slices.SortFunc(versions, func(a, b sources.Available) int { return a.Version.Compare(b.Version) })
	return versions, nil
}
