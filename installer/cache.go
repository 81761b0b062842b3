package installer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Cache looks after a plugin cache: an Installer's CacheDir, or a directory of the same layout that terraform or tofu
// filled. Dir is required. Its methods are safe for concurrent use, and beside installations, in this process and others.
//
// Only what stands where packages stand counts: directories HOST/NAMESPACE/TYPE/VERSION/OS_ARCH, each name in its
// canonical form. Everything else is passed over and left alone. Symbolic links are never followed, except that Dir may be
// one. The memory that is used grows with the number of packages, not with what else there is.
//
// # Last use
//
// The time of access is not to be relied upon, and packages must not be touched. So an Installer that uses a cached package
// sets the time of modification of its lock file, <os>_<arch>.lock, when that is older than ten minutes; where it may not,
// it does without. A package was last used at that time, or when its directory was made if that was later. Neither
// terraform nor tofu leaves such marks: what they alone use looks as if nobody had used it since it was installed.
type Cache struct {
	// Dir is the directory. One that does not exist is empty.
	Dir string

	// RecordDir is the RecordDir of the installers that use the cache. Verify consults it, and Prune removes the records of
	// the packages that it removes. Empty: there are no records.
	RecordDir string
}

// CacheEntry is a package in a cache.
type CacheEntry struct {
	Provider sources.Provider
	Version  sources.Version
	Platform sources.Platform
	Path     string    // of the package's directory, absolute
	Bytes    int64     // the lengths of its files added up; those with hard links elsewhere count as well
	Used     time.Time // last, to the next ten minutes; see [Cache]
	State    CacheState
}

// CacheState is what a package in a cache looks like, without reading it.
type CacheState string

// The states.
const (
	CacheReady   CacheState = "ready"   // a directory with the provider's executable in it
	CacheDamaged CacheState = "damaged" // a directory without; the next installation replaces it
	CacheLink    CacheState = "link"    // a symbolic link, as terraform makes them to unpacked mirrors; Verify and Prune pass it over
)

// List returns the packages in the order of addresses, versions and platforms. Packages that come or go meanwhile may be in
// the list or not. Where something cannot be read, the list has the rest, and the error all reasons. Without a Dir that can
// be a cache, the error is a [*sources.FieldError], as for the other methods.
func (c *Cache) List(ctx context.Context) ([]CacheEntry, error) {
	found, err := c.packages(ctx)
	list := make([]CacheEntry, len(found))
	for i, p := range found {
		list[i] = p.CacheEntry
	}
	slices.SortFunc(list, CacheEntry.compare)
	return list, err
}

func (e CacheEntry) compare(o CacheEntry) int {
	return cmp.Or(e.Provider.Compare(o.Provider), e.Version.Compare(o.Version), e.Platform.Compare(o.Platform))
}

// cached is a package in a cache and its place.
type cached struct {
	CacheEntry
	entry
}

// packages finds and measures all packages.
func (c *Cache) packages(ctx context.Context) ([]cached, error) {
	var found []cached
	err := c.walk(ctx, func(at site) error {
		if at.leftover {
			return nil
		}
		p, err := at.measure(ctx)
		if err == nil {
			found = append(found, p)
		}
		return err
	})
	return found, err
}

// measure looks at a package without reading its files.
func (at site) measure(ctx context.Context) (cached, error) {
	e := newEntry(at.root, at.provider, at.version, at.platform)
	p := cached{CacheEntry{Provider: at.provider, Version: at.version, Platform: at.platform, Path: e.path}, e}
	var err error
	if p.Used, err = e.lastUse(); err != nil {
		return p, err
	}
	if at.link {
		p.State = CacheLink
		return p, nil
	}
	if p.Bytes, err = sizeOf(ctx, e.path); err != nil {
		return p, err
	}
	p.State = CacheReady
	if _, err := findExecutable(e.path, at.provider); err != nil {
		p.State = CacheDamaged
	}
	return p, nil
}

// sizeOf adds up the lengths of all files below a directory.
func sizeOf(ctx context.Context, dir string) (bytes int64, err error) {
	err = eachIn(ctx, dir, func(d fs.DirEntry) error {
		if d.IsDir() {
			below, err := sizeOf(ctx, filepath.Join(dir, d.Name()))
			bytes += below
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return unlessGone(err)
	})
	return bytes, err
}

// unlessGone forgives that something has disappeared since it was found.
func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// root returns the absolute path of the directory; "" if it does not exist.
func (c *Cache) root() (string, error) {
	if c.Dir == "" {
		return "", &sources.FieldError{Field: "Cache.Dir", Problem: "is required: where is the cache?"}
	}
	root, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", &sources.FieldError{Field: "Cache.Dir", Problem: err.Error()}
	}
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", &sources.FieldError{Field: "Cache.Dir", Problem: err.Error()}
	case !info.IsDir():
		return "", &sources.FieldError{Field: "Cache.Dir", Problem: root + " is not a directory"}
	}
	return root, nil
}

// records returns the directory of records if there is one that can be trusted.
func (c *Cache) records() (records, error) {
	if c.RecordDir == "" {
		return "", nil
	}
	dir, err := filepath.Abs(c.RecordDir)
	if err != nil {
		return "", &sources.FieldError{Field: "Cache.RecordDir", Problem: err.Error()}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", &sources.FieldError{Field: "Cache.RecordDir", Problem: err.Error()}
	case !isPrivate(info):
		return "", &sources.FieldError{Field: "Cache.RecordDir", Problem: fmt.Sprintf("%s must belong to the user and be writable by nobody else", dir)}
	}
	return records(dir), nil
}

// staged returns the platform of a staging directory by its name.
func staged(name string) (sources.Platform, bool) {
	text, ok := strings.CutPrefix(name, stagingPrefix)
	if !ok {
		return sources.Platform{}, false
	}
	on, err := sources.ParsePlatform(strings.Replace(text, "-", "_", 1))
	return on, err == nil
}
