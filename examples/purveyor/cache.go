package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
)

var cacheListCommand = &command{
	name: "cache list", takes: operands{},
	about: "list the packages in the plugin cache, with their sizes and when they were used",
	examples: `
purveyor cache list
purveyor cache list -cache=/var/cache/providers -json
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		c := &caching{session: s}
		c.flags(flags)
		s.accountFlags(flags)
		return c.list
	},
}

var cacheVerifyCommand = &command{
	name: "cache verify", takes: operands{},
	about: "read all packages in the plugin cache, and compare them with lock files",
	examples: `
purveyor cache verify -lock=live/.terraform.lock.hcl
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		c := &caching{session: s}
		c.flags(flags)
		repeated(flags, "lock", "compare with the hashes of the dependency lock `FILE`; can be repeated", &c.locks)
		s.accountFlags(flags)
		return c.verify
	},
}

var cachePruneCommand = &command{
	name: "cache prune", takes: operands{},
	about: "remove packages from the plugin cache that were not used for long, or are too many",
	examples: `
purveyor cache prune -older-than=30d
purveyor cache prune -max-size=10GB -keep=live/.terraform.lock.hcl -dry-run
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		c := &caching{session: s}
		c.flags(flags)
		flags.Func("older-than", "remove what was not used for this `TIME`: 30d, 12h", func(text string) (err error) {
			c.prune.OlderThan, err = parseAge(text)
			return err
		})
		flags.Func("max-size", "remove what was used least recently, until no more than this `SIZE` is left: 10GB, 500MB", func(text string) (err error) {
			c.prune.MaxBytes, err = parseSize(text)
			return err
		})
		repeated(flags, "keep", "keep what the dependency lock `FILE` has; can be repeated", &c.locks)
		flags.BoolVar(&c.prune.DryRun, "dry-run", false, "change nothing: only say what would be removed")
		s.accountFlags(flags)
		return c.remove
	},
}

// caching is a run of one of the cache's commands.
type caching struct {
	*session
	cache string // "": that of the configuration
	locks []string
	prune installer.CachePrune
}

func (c *caching) flags(set *flag.FlagSet) {
	set.StringVar(&c.cache, "cache", "", "the cache in `DIR` (default: plugin_cache_dir of the CLI configuration)")
}

// open finds the cache and reads the lock files.
func (c *caching) open() (*installer.Cache, []installer.Locks, error) {
	if err := c.configure(c.registry); err != nil {
		return nil, nil, err
	}
	dir := cmp.Or(c.inModule(c.cache), c.config.PluginCacheDir)
	if dir == "" {
		return nil, nil, usagef("there is no plugin cache: neither -cache, nor plugin_cache_dir in the CLI configuration, nor TF_PLUGIN_CACHE_DIR")
	}
	all, err := readLocks(c.allInModule(c.locks))
	return &installer.Cache{Dir: dir, RecordDir: c.recordDir()}, all, err
}

// readLocks reads lock files. Each has to be there: one whose name is mistyped would keep nothing.
func readLocks(paths []string) (all []installer.Locks, err error) {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("reading the dependency lock file: %w", err)
		}
		locks, err := lockfile.Read(path)
		if err != nil {
			return nil, err
		}
		all = append(all, locks)
	}
	return all, nil
}

func (c *caching) list(ctx context.Context) error {
	cache, _, err := c.open()
	if err != nil {
		return err
	}
	entries, err := cache.List(ctx)
	for _, e := range entries {
		c.out.print(cachedRecord("cached", e))
	}
	return err
}

func cachedRecord(event string, e installer.CacheEntry) record {
	return record{
		Event: event, Provider: e.Provider.String(), Version: e.Version.String(), Platform: e.Platform.String(), Path: e.Path, Size: e.Bytes,
		Used: e.Used.UTC().Format(time.RFC3339), Message: string(e.State),
	}
}

func (c *caching) verify(ctx context.Context) error {
	cache, locks, err := c.open()
	if err != nil {
		return err
	}
	verdicts, err := cache.Verify(ctx, locks...)
	var errs several
	for _, v := range verdicts {
		r := cachedRecord("checked", v.CacheEntry)
		switch {
		case v.Err != nil:
			r.Message = v.Err.Error()
			errs = append(errs, fmt.Errorf("%s %s for %s: %w", v.Provider, v.Version, v.Platform, v.Err))
		case v.Proof != nil:
			r = r.proven(*v.Proof)
			r.Message = trust(r)
		default:
			r.Message = "nobody vouches for it: name the lock files that have it by -lock"
		}
		c.out.print(r)
	}
	if err != nil {
		errs = append(errs, err)
	}
	return errs.orNil()
}

func (c *caching) remove(ctx context.Context) error {
	if c.prune.OlderThan == 0 && c.prune.MaxBytes == 0 {
		return usagef("-older-than or -max-size is required: otherwise there is nothing to remove")
	}
	cache, locks, err := c.open()
	if err != nil {
		return err
	}
	c.prune.Keep = locks
	pruned, err := cache.Prune(ctx, c.prune)
	if pruned == nil {
		return err
	}
	event := "removed"
	if c.prune.DryRun {
		event = "surplus"
	}
	for _, e := range pruned.Removed {
		r := cachedRecord(event, e)
		r.Present = []string{r.Platform}
		c.out.print(r)
	}
	for _, e := range pruned.Spared {
		c.out.print(cachedRecord("spared", e))
	}
	return err
}

// parseAge reads a duration, which can be in days.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > 36500 {
			return 0, errors.New(`a number of days is expected, like "30d"`)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age <= 0 {
		return 0, errors.New(`a time is expected, like "30d" or "12h"`)
	}
	return age, nil
}

// parseSize reads a number of bytes, with a decimal unit perhaps.
func parseSize(text string) (int64, error) {
	number, factor := text, int64(1)
	for i, unit := range []string{"kB", "MB", "GB", "TB"} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number = n
			for range i + 1 {
				factor *= 1000
			}
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/factor {
		return 0, errors.New(`a size is expected, like "10GB"`)
	}
	return n * factor, nil
}
