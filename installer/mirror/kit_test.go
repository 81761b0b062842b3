package mirror_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const host = "registry.example.com"

var (
	rocket = sources.MustParseProvider(host + "/acme/rocket")
	anvil  = sources.MustParseProvider(host + "/acme/anvil")

	linux   = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin  = sources.Platform{OS: "darwin", Arch: "arm64"}
	windows = sources.Platform{OS: "windows", Arch: "amd64"}
	plan9   = sources.Platform{OS: "plan9", Arch: "386"}
	four    = []sources.Platform{darwin, linux, plan9, windows} // sorted
)

// fixture is a registry, and a directory to be filled from it.
type fixture struct {
	*testing.T
	srv     *registrytest.Server
	dir     string // the mirror
	builder *builder

	mu     sync.Mutex
	events []mirror.Event
}

func setup(t *testing.T, releases ...registrytest.Release) *fixture {
	t.Helper()
	f := &fixture{T: t, srv: registrytest.New(t, registrytest.Config{Releases: releases}), dir: t.TempDir()}
	f.builder = watch(t, &mirror.Builder{Installer: f.installer(), Target: fsmirror.NewTarget(f.dir), Scratch: t.TempDir()})
	f.builder.Notify = func(e mirror.Event) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, e)
	}
	return f
}

// installer returns one that uses the registry; with a fresh source, which remembers nothing.
func (f *fixture) installer() *installer.Installer {
	return &installer.Installer{Source: registry(f.srv)}
}

func registry(srv *registrytest.Server) sources.Source {
	return direct.New(direct.Config{
		Client:   srv.Client(),
		Backoff:  time.Millisecond,
		Services: map[sources.Host]map[string]string{sources.MustParseHost(host): srv.HostServices(host)},
	})
}

// rockets are releases for the four platforms.
func rockets(versions ...string) []registrytest.Release {
	var releases []registrytest.Release
	for _, v := range versions {
		releases = append(releases, release("acme/rocket", v, four...))
	}
	return releases
}

func release(provider, version string, platforms ...sources.Platform) registrytest.Release {
	r := registrytest.Release{Provider: provider, Version: version, Manifest: true}
	for _, on := range platforms {
		r.Platforms = append(r.Platforms, on.String())
	}
	return r
}

// want asks for versions of rocket: "~> 1.0", 2.
func want(constraints string, latest int) mirror.Want {
	return mirror.Want{Provider: rocket, Constraints: sources.MustParseConstraints(constraints), Latest: latest}
}

func plan(wants ...mirror.Want) mirror.Plan { return mirror.Plan{Wants: wants, Platforms: four} }

// again is what another process would use on the same mirror.
func (f *fixture) again() *builder {
	b := *f.builder.Builder
	in := *b.Installer
	in.Source = registry(f.srv)
	b.Installer, b.Target = &in, fsmirror.NewTarget(f.dir)
	return watch(f.T, &b)
}

func (f *fixture) build(p mirror.Plan) *mirror.Report {
	f.Helper()
	report, err := f.again().Build(f.Context(), p)
	if err != nil {
		f.Fatal(err)
	}
	f.checkScratch()
	return report
}

// buildError fails the test if building works.
func (f *fixture) buildError(p mirror.Plan) (*mirror.Report, error) {
	f.Helper()
	report, err := f.again().Build(f.Context(), p)
	if err == nil {
		f.Fatal("building succeeded")
	}
	f.checkScratch()
	return report, err
}

func (f *fixture) checkScratch() {
	f.Helper()
	entries, err := os.ReadDir(f.builder.Scratch)
	if err != nil || len(entries) > 0 {
		f.Errorf("in the scratch directory are %v, %v", entries, err)
	}
}

// downloads returns how many archives were asked for, and forgets all requests.
func (f *fixture) downloads() int {
	defer f.srv.ResetRequests()
	return f.srv.Count(registrytest.KindArchive)
}

// summary returns what was reported, as "rocket 1.0.0 added darwin,linux".
func summary(report *mirror.Report) []string {
	var all []string
	for _, r := range report.Releases {
		text := r.Provider.Type() + " " + r.Version.String()
		for name, platforms := range map[string][]sources.Platform{"added": r.Added, "present": r.Present, "missing": r.Missing} {
			if len(platforms) > 0 {
				text += " " + name + " " + join(platforms)
			}
		}
		all = append(all, text)
	}
	return all
}

func join(platforms []sources.Platform) string {
	var texts []string
	for _, on := range platforms {
		texts = append(texts, on.OS)
	}
	return strings.Join(texts, ",")
}

// tree returns the modes and contents of all files below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
		}
		name, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = info.Mode().String() + " " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(found, ".") // the test's own
	return found
}

// archives returns the names of the archives in a mirror, sorted.
func archives(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for name := range tree(t, dir) {
		if strings.HasSuffix(name, ".zip") {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return names
}

// failure returns the only failure of a build.
func failure(t *testing.T, err error) *mirror.PackageError {
	t.Helper()
	var all *mirror.Error
	if !errors.As(err, &all) || len(all.Failures) != 1 {
		t.Fatalf("the error is %v, want one with one failure", err)
	}
	return all.Failures[0]
}

// kinds returns the kinds of events about a platform since the last time.
func (f *fixture) kinds(on sources.Platform) []mirror.EventKind {
	f.mu.Lock()
	defer f.mu.Unlock()
	var kinds []mirror.EventKind
	for _, e := range f.events {
		if e.Platform == on {
			kinds = append(kinds, e.Kind)
		}
	}
	f.events = nil
	return kinds
}

func archivePath(dir string, p sources.Provider, version string, on sources.Platform) string {
	v := sources.MustParseVersion(version)
	return filepath.Join(dir, filepath.FromSlash(sources.ArchivePath(p, v, on)))
}

// faultOf makes archives an error.
func faultOf(status int) registrytest.Fault {
	return registrytest.Fault{Kind: registrytest.KindArchive, Status: status}
}
