package installer_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// host is that of the providers in these tests, unless they say otherwise.
const host = "registry.example.com/"

// fixture is a registry and an installer with a project directory and a cache of its own.
type fixture struct {
	*testing.T
	srv *registrytest.Server
	in  *installer.Installer

	*watcher // of in

	mu     sync.Mutex
	events []installer.Event
}

func setup(t *testing.T, releases ...registrytest.Release) *fixture {
	t.Helper()
	return setupConfig(t, registrytest.Config{Releases: releases})
}

func setupConfig(t *testing.T, cfg registrytest.Config) *fixture {
	t.Helper()
	f := &fixture{T: t, srv: registrytest.New(t, cfg)}
	f.in = f.installer(f.TempDir(), f.TempDir())
	f.in.Notify = func(e installer.Event) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, e)
	}
	f.watcher = watch(t, f.in)
	f.in.Logger = slog.New(strictLog{t: t})
	return f
}

// installer returns another installer that uses the same registry.
func (f *fixture) installer(dir, cache string) *installer.Installer {
	// With small segments, small archives too come in parts.
	return &installer.Installer{Source: f.source(), Dir: dir, CacheDir: cache, SegmentSize: 64 << 10}
}

// source knows the test registry under registry.example.com, and in the place of OpenTofu's.
func (f *fixture) source() sources.Source {
	return direct.New(direct.Config{
		Client:  f.srv.Client(),
		Backoff: time.Millisecond,
		Stall:   2 * time.Second,
		Services: map[sources.Host]map[string]string{
			sources.OpenTofuRegistry: f.srv.HostServices(sources.OpenTofuRegistry.String()),
		},
	})
}

// install installs and fails the test on any error.
func (f *fixture) install(req installer.Request) *installer.Result {
	f.Helper()
	result, err := f.try(req)
	if err != nil {
		f.Fatal(err)
	}
	return result
}

// installError installs and fails the test if that works.
func (f *fixture) installError(req installer.Request) (*installer.Result, error) {
	f.Helper()
	result, err := f.try(req)
	if err == nil {
		f.Fatalf("installing %v succeeded", req.Requirements)
	}
	return result, err
}

// try installs, and checks the events.
func (f *fixture) try(req installer.Request) (result *installer.Result, err error) {
	f.Helper()
	err = f.call(func() error {
		result, err = f.in.Install(f.Context(), req)
		return err
	})
	return result, err
}

func (f *fixture) kinds() []installer.EventKind {
	f.mu.Lock()
	defer f.mu.Unlock()
	var kinds []installer.EventKind
	for _, e := range f.events {
		if e.Kind != installer.EventProgress {
			kinds = append(kinds, e.Kind)
		}
	}
	f.events = nil
	return kinds
}

func (f *fixture) wantKinds(want ...installer.EventKind) {
	f.Helper()
	if got := f.kinds(); !slices.Equal(got, want) {
		f.Errorf("events are %v, want %v", got, want)
	}
}

func (f *fixture) wantRequests(want int) {
	f.Helper()
	if got := f.srv.Requests(); len(got) != want {
		f.Errorf("%d requests were made, want %d: %v", len(got), want, got)
	}
	f.srv.ResetRequests()
}

// wantNothingInstalled asserts that no package and no staging directory is left anywhere.
func (f *fixture) wantNothingInstalled() {
	f.Helper()
	for _, root := range []string{f.in.Dir, f.in.CacheDir} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && (!d.IsDir() && filepath.Ext(path) != ".lock" || isPackagePath(root, path)) {
				f.Errorf("%s was left", path)
			}
			return err
		})
	}
}

// isPackagePath reports whether path is where a package or its staging directory stands.
func isPackagePath(root, path string) bool {
	relative, err := filepath.Rel(root, path)
	return err == nil && len(filepath.SplitList(relative)) == 1 && countSegments(relative) == 5 && filepath.Ext(path) != ".lock"
}

func countSegments(path string) int {
	return len(bytes.Split([]byte(filepath.ToSlash(path)), []byte("/")))
}

// require returns a request from pairs of address (without host: on registry.example.com) and constraint.
func require(pairs ...string) installer.Request {
	requirements := installer.Requirements{}
	for pair := range slices.Chunk(pairs, 2) {
		requirements[provider(pair[0])] = sources.MustParseConstraints(pair[1])
	}
	return installer.Request{Requirements: requirements}
}

func provider(address string) sources.Provider {
	if bytes.Count([]byte(address), []byte("/")) == 1 {
		address = host + address
	}
	return sources.MustParseProvider(address)
}

func version(s string) sources.Version { return sources.MustParseVersion(s) }

func release(address, version string) registrytest.Release {
	return registrytest.Release{Provider: address, Version: version}
}

// archiveOf returns a release whose archive has exactly these entries, each a name and its contents.
func archiveOf(entries ...zip.FileHeader) func(string) ([]byte, error) {
	return func(string) ([]byte, error) {
		var buffer bytes.Buffer
		w := zip.NewWriter(&buffer)
		for _, header := range entries {
			entry, err := w.CreateHeader(&header)
			if err != nil {
				return nil, err
			}
			if header.Mode().IsRegular() || header.Mode()&fs.ModeSymlink != 0 {
				if _, err := entry.Write([]byte("contents of " + header.Name)); err != nil {
					return nil, err
				}
			}
		}
		err := w.Close()
		return buffer.Bytes(), err
	}
}

// entry describes an archive's entry.
func entry(name string, mode fs.FileMode) zip.FileHeader {
	header := zip.FileHeader{Name: name, Method: zip.Deflate}
	header.SetMode(mode)
	return header
}

// plugin is the entry that every package needs.
func plugin(kind string) zip.FileHeader { return entry("terraform-provider-"+kind+"_v1.0.0", 0o755) }
