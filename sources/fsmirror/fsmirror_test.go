package fsmirror_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

var (
	rocket = sources.MustParseProvider("registry.example.com/acme/rocket")
	linux  = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin = sources.Platform{OS: "darwin", Arch: "arm64"}
)

func version(s string) sources.Version { return sources.MustParseVersion(s) }

// mirror writes a mirror with two releases for two platforms.
func mirror(t *testing.T, layouts ...registrytest.Layout) string {
	t.Helper()
	dir := t.TempDir()
	platforms := []string{linux.String(), darwin.String()}
	srv := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: rocket.String(), Version: "1.0.0", Platforms: platforms},
		{Provider: rocket.String(), Version: "1.1.0-rc1", Platforms: platforms},
	}})
	for _, layout := range layouts {
		if err := srv.WriteMirror(dir, layout); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestItKeepsTheRules(t *testing.T) {
	t.Parallel()
	var fixture sourcetest.Fixture
	for _, v := range []string{"1.0.0", "1.1.0-rc1"} {
		for _, on := range []sources.Platform{linux, darwin} {
			fixture.Packages = append(fixture.Packages, sourcetest.Package{Provider: rocket, Version: version(v), Platform: on})
		}
	}
	for name, layouts := range map[string][]registrytest.Layout{
		"packed":   {registrytest.Packed},
		"unpacked": {registrytest.Unpacked},
		"both":     {registrytest.Packed, registrytest.Unpacked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := sourcetest.TestSource(t.Context(), fsmirror.New(mirror(t, layouts...)), fixture); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnpackedComesFirst(t *testing.T) {
	t.Parallel()
	pkg := describe(t, mirror(t, registrytest.Packed, registrytest.Unpacked), rocket, "1.0.0")
	if pkg.Content.Dir == "" || pkg.Content.Archive != nil {
		t.Errorf("content is %+v, want the directory", pkg.Content)
	}
}

func describe(t *testing.T, dir string, p sources.Provider, v string) *sources.Package {
	t.Helper()
	pkg, err := fsmirror.New(dir).Package(t.Context(), p, version(v), linux)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// write makes files with nothing in them.
func write(t *testing.T, dir string, names ...string) string {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func versions(t *testing.T, dir string, p sources.Provider) []string {
	t.Helper()
	listing, err := fsmirror.New(dir).Versions(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, a := range listing.Versions {
		texts = append(texts, a.Version.String())
	}
	slices.Sort(texts)
	return texts
}

func TestForeignFilesArePassedOver(t *testing.T) {
	t.Parallel()
	const home = "registry.example.com/acme/rocket/"
	dir := write(t, t.TempDir(),
		home+"index.json", home+"1.0.0.json", home+"README.md", home+".DS_Store",
		home+"terraform-provider-rocket_1.0.0_linux_amd64.zip",
		home+"terraform-provider-rocket_1.0.0_linux_amd64.zip.sig",
		home+"terraform-provider-rocketry_3.0.0_linux_amd64.zip",
		home+"terraform-provider-rocket_v4.0.0_linux_amd64.zip",
		home+"terraform-provider-rocket_5.0.0.zip",
		home+"6.0.0",                  // a file where a version's directory would stand
		home+"7.0.0/linux_amd64",      // a file where a platform's would
		home+"8.0.0/not a platform/x", // and no platform at all
		home+"99999999999999999999.0.0/linux_amd64/x",
		"registry.example.com/index.json",
	)
	if got := versions(t, dir, rocket); !slices.Equal(got, []string{"1.0.0"}) {
		t.Errorf("versions are %v", got)
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	idn := sources.MustParseProvider("bücher.example.com/acme/rocket")
	dir := write(t, t.TempDir(),
		"Registry.Example.com/ACME/Rocket/Terraform-Provider-Rocket_1.0_Linux_AMD64.ZIP",
		"Registry.Example.com/ACME/Rocket/2/linux_amd64/terraform-provider-rocket",
		"bücher.example.com/acme/rocket/terraform-provider-rocket_1.0.0_linux_amd64.zip",
		"xn--bcher-kva.example.com/acme/rocket/terraform-provider-rocket_2.0.0_linux_amd64.zip",
	)
	for p, want := range map[sources.Provider][]string{rocket: {"1.0.0", "2.0.0"}, idn: {"1.0.0", "2.0.0"}} {
		if got := versions(t, dir, p); !slices.Equal(got, want) {
			t.Errorf("%s: versions are %v, want %v", p, got, want)
		}
		describe(t, dir, p, "1.0.0")
		describe(t, dir, p, "2.0.0")
	}
}

func TestSymbolicLinksAreFollowedEverywhere(t *testing.T) {
	t.Parallel()
	real := mirror(t, registrytest.Unpacked)
	dir := t.TempDir()
	steps := []string{"registry.example.com", "acme", "rocket", "1.0.0", "linux_amd64"}
	for i := range steps {
		from := filepath.Join(append([]string{real}, steps[:i+1]...)...)
		base := filepath.Join(dir, steps[i]+"-linked")
		to := filepath.Join(append([]string{base}, steps[:i+1]...)...)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Symlink(from, to)); err != nil {
			t.Fatal(err)
		}
		describe(t, base, rocket, "1.0.0")
	}
	linked := filepath.Join(dir, "mirror")
	if err := os.Symlink(real, linked); err != nil {
		t.Fatal(err)
	}
	describe(t, linked, rocket, "1.0.0")
}

// A mirror that is not there has nothing, which is worth a warning; in a chain the next source is asked.
func TestAMissingDirectoryIsEmpty(t *testing.T) {
	t.Parallel()
	missing := fsmirror.New(filepath.Join(t.TempDir(), "missing"))
	listing, err := missing.Versions(t.Context(), rocket)
	var absence *fsmirror.MissingError
	if !errors.Is(err, sources.ErrNotFound) || !errors.As(err, &absence) || len(listing.Warnings) != 1 {
		t.Errorf("listing %+v, error %v", listing, err)
	}
	chain := sources.Chain{{Source: missing}, {Source: fsmirror.New(mirror(t, registrytest.Packed))}}
	listing, err = chain.Versions(t.Context(), rocket)
	if err != nil || len(listing.Versions) != 2 || len(listing.Warnings) != 1 {
		t.Errorf("listing %+v, error %v", listing, err)
	}
}

func TestAFileIsNoMirror(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), "registry.example.com")
	_, err := fsmirror.New(filepath.Join(dir, "registry.example.com")).Versions(t.Context(), rocket)
	if err == nil || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error is %v, want one that is no absence", err)
	}
	if _, err := fsmirror.New(dir).Versions(t.Context(), rocket); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("a file where a host's directory would stand: error is %v", err)
	}
}

func TestAbsenceSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	source := fsmirror.New(mirror(t, registrytest.Packed))
	_, err := source.Package(t.Context(), rocket, version("1.0.0"), sources.Platform{OS: "plan9", Arch: "mips"})
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || !slices.Equal(platform.Available, []sources.Platform{darwin, linux}) {
		t.Errorf("error is %v", err)
	}
	if _, err := source.Package(t.Context(), rocket, version("3.0.0"), linux); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error is %v", err)
	}
}

// Only what the address names is read: a mirror of hundreds of gigabytes must not be walked.
func TestOnlyTheProvidersOwnDirectoryIsRead(t *testing.T) {
	t.Parallel()
	dir := mirror(t, registrytest.Packed)
	closed := filepath.Join(dir, "registry.example.com", "acme", "locked")
	if err := os.Symlink(closed, closed); err != nil { // whoever looks at this gets an error
		t.Fatal(err)
	}
	describe(t, dir, rocket, "1.0.0")
}

func TestAnArchiveThatIsADirectory(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), "registry.example.com/acme/rocket/terraform-provider-rocket_1.0.0_linux_amd64.zip/x")
	pkg := describe(t, dir, rocket, "1.0.0")
	if _, _, err := pkg.Content.Archive.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error is %v", err)
	}
}

func TestArchivesAreReadAsTheyAre(t *testing.T) {
	t.Parallel()
	const name = "registry.example.com/acme/rocket/terraform-provider-rocket_1.0.0_linux_amd64.zip"
	pkg := describe(t, write(t, t.TempDir(), name), rocket, "1.0.0")
	body, size, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if data, err := io.ReadAll(body); err != nil || string(data) != name || size != int64(len(name)) {
		t.Errorf("read %q, size %d, %v", data, size, err)
	}
}

func FuzzFileNames(f *testing.F) {
	f.Add("terraform-provider-rocket_1.0.0_linux_amd64.zip")
	f.Add("terraform-provider-rocket_1.0.0_linux_amd64_extra.zip")
	f.Add("1.0.0")
	f.Add(".zip")
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsAny(name, "/\\\x00") || name == "" || len(name) > 200 {
			t.Skip()
		}
		dir := filepath.Join(t.TempDir(), "registry.example.com", "acme", "rocket")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Skip()
		}
		_, err := fsmirror.New(filepath.Join(dir, "..", "..", "..")).Versions(t.Context(), rocket)
		if err != nil && !errors.Is(err, sources.ErrNotFound) {
			t.Error(err)
		}
	})
}
