package fsmirror

import (
	"context"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
)

// Contents returns the versions of each provider that the directory has packages of, and their platforms, both sorted: what
// [Target.Remove] can remove, whether an index lists it or not. Unpacked packages, those under other names or in other places
// than a target gives them, and everything else that is in the directory are not mentioned. A directory that does not exist
// has nothing. The error is a [*sources.Error].
func (t *Target) Contents(ctx context.Context) (map[sources.Provider][]sources.Available, error) {
	contents, err := t.contents(ctx)
	if err != nil {
		return nil, t.failure("list packages", sources.Provider{}, sources.Version{}, err)
	}
	return contents, nil
}

func (t *Target) contents(ctx context.Context) (map[sources.Provider][]sources.Available, error) {
	contents := make(map[sources.Provider][]sources.Available)
	homes, err := t.homes(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range homes {
		dir, err := t.home(p)
		if err != nil {
			return nil, err
		}
		versions, err := versionsIn(dir, p)
		if err != nil {
			return nil, err
		}
		if len(versions) > 0 {
			contents[p] = versions
		}
	}
	return contents, nil
}

// homes returns the providers that may have a home below a directory, which is named relative to the mirror's. What cannot be
// part of an address is not looked into: it is somebody else's, and may be unreadable.
func (t *Target) homes(ctx context.Context, names ...string) ([]sources.Provider, error) {
	p, ok := resident(names)
	switch err := ctx.Err(); {
	case err != nil || !ok:
		return nil, err
	case len(names) == 3:
		return []sources.Provider{p}, nil
	}
	entries, err := readDir(filepath.Join(append([]string{t.dir}, names...)...))
	if err != nil {
		return nil, err
	}
	var all []sources.Provider
	for _, entry := range entries {
		below, err := t.homes(ctx, append(slices.Clone(names), entry.Name())...)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// resident returns the provider whose home has these names, of host, namespace and type; false if there can be none. Names that
// are missing at the end could be any.
func resident(names []string) (sources.Provider, bool) {
	names = slices.Concat(names, []string{"example.com", "x", "x"}[len(names):])
	host, err := sources.HostOfURL(&url.URL{Host: names[0]}) // which can be in the ASCII form
	if err != nil {
		return sources.Provider{}, false
	}
	p, err := sources.ParseProvider(host.String() + "/" + names[1] + "/" + names[2])
	return p, err == nil && slices.Equal(names, []string{p.Host().ASCII(), p.Namespace(), p.Type()})
}

// checkUnshared makes sure that the home of a provider is not also another's.
func (t *Target) checkUnshared(ctx context.Context, p sources.Provider, home fs.FileInfo) error {
	residents, err := t.homes(ctx)
	if err != nil {
		return err
	}
	for _, other := range residents {
		dir, err := t.home(other)
		if err != nil {
			return err
		}
		if info, err := os.Stat(dir); err == nil && other != p && os.SameFile(home, info) {
			return &SharedError{Dir: dir, Other: other}
		}
	}
	return nil
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
