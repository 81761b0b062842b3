package installer_test

import (
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// lenient is a test that counts its errors.
type lenient struct {
	testing.TB
	errors int
}

func (l *lenient) Helper()               {}
func (l *lenient) Cleanup(func())        {}
func (l *lenient) Errorf(string, ...any) { l.errors++ }

// The watcher lets pass what may be, and nothing else.
func TestTheWatcherWatches(t *testing.T) {
	t.Parallel()
	p, v := provider("acme/alpha"), version("1.0.0")
	dir, cache := t.TempDir(), t.TempDir()
	place := func(base string) string {
		return filepath.Join(base, filepath.FromSlash(sources.PackagePath(p, v, linux)))
	}
	of := func(e installer.Event) installer.Event {
		e.Provider, e.Version, e.Platform, e.Proof = p, v, linux, &hashing.Proof{}
		return e
	}
	resolving, resolved := installer.Event{Kind: installer.EventResolving, Provider: p}, installer.Event{Kind: installer.EventResolved, Provider: p, Version: v}
	present := of(installer.Event{Kind: installer.EventPresent, Path: place(dir)})
	locked := of(installer.Event{Kind: installer.EventLocked})
	hit := of(installer.Event{Kind: installer.EventCacheHit, Path: place(cache)})
	verified := of(installer.Event{Kind: installer.EventVerified})
	fetched := of(installer.Event{Kind: installer.EventFetched, Path: "archive.zip"})
	installed := of(installer.Event{Kind: installer.EventInstalled, Path: place(dir)})
	installed.Proof = nil
	at := func(e installer.Event, path string) installer.Event { e.Path = path; return e }
	other, another, second := locked, locked, fetched
	other.Version, another.Platform.Arch, second.Platform.Arch = version("2.0.0"), "arm64", "arm64"
	verifiedSecond := verified
	verifiedSecond.Platform = second.Platform
	for name, c := range map[string]struct {
		events  []installer.Event
		right   bool
		noCache bool
	}{
		"present":                          {events: []installer.Event{resolving, resolved, present}, right: true},
		"present without a cache":          {events: []installer.Event{resolving, resolved, present}, right: true, noCache: true},
		"in the cache":                     {events: []installer.Event{resolving, resolved, hit, installed}, right: true},
		"locked for two platforms":         {events: []installer.Event{resolving, resolved, locked, another}, right: true},
		"fetched":                          {events: []installer.Event{verified, fetched}, right: true},
		"present in the cache":             {events: []installer.Event{resolving, resolved, at(present, place(cache))}},
		"present elsewhere":                {events: []installer.Event{resolving, resolved, at(present, "elsewhere")}},
		"present elsewhere, no cache":      {events: []installer.Event{resolving, resolved, at(present, place(cache))}, noCache: true},
		"present beside Dir":               {events: []installer.Event{resolving, resolved, at(present, place(dir+"2"))}},
		"installed in the cache":           {events: []installer.Event{resolving, resolved, hit, at(installed, place(cache))}},
		"in a cache that is not":           {events: []installer.Event{resolving, resolved, hit, installed}, noCache: true},
		"in the cache, in Dir":             {events: []installer.Event{resolving, resolved, at(hit, place(dir)), installed}},
		"present twice":                    {events: []installer.Event{resolving, resolved, present, present}},
		"selected twice":                   {events: []installer.Event{resolving, resolved, resolving, resolved}},
		"locked, not selected":             {events: []installer.Event{locked}},
		"locked before the selection":      {events: []installer.Event{locked, resolving, resolved}},
		"verified before the selection":    {events: []installer.Event{verified, resolving, resolved, locked}},
		"another version than is selected": {events: []installer.Event{resolving, resolved, other}},
		"two packages, not selected":       {events: []installer.Event{verified, fetched, verifiedSecond, second}},
	} {
		in := &installer.Installer{Dir: dir, CacheDir: cache}
		if c.noCache {
			in.CacheDir = ""
		}
		test := &lenient{TB: t}
		w := watch(test, in)
		_ = w.call(func() error {
			for _, e := range c.events {
				w.see(e)
			}
			return nil
		})
		if (test.errors == 0) != c.right {
			t.Errorf("%s: %d errors", name, test.errors)
		}
	}
}
