package ocimirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

var (
	rocket = sources.MustParseProvider("registry.example.com/acme/rocket")
	linux  = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin = sources.Platform{OS: "darwin", Arch: "arm64"}
	v1     = sources.MustParseVersion("1.0.0")
)

// repositoryOf is the name of rocket's repository.
const repositoryOf = "mirror/acme/rocket"

func released(version string) registrytest.Release {
	return registrytest.Release{Provider: "registry.example.com/acme/rocket", Version: version, Platforms: []string{linux.String(), darwin.String()}}
}

func start(t *testing.T, cfg registrytest.Config) *registrytest.Server {
	t.Helper()
	if cfg.Releases == nil {
		cfg.Releases = []registrytest.Release{released("1.0.0"), released("1.1.0-rc1+build.5")}
	}
	return registrytest.New(t, cfg)
}

// at returns the function that finds repositories on a server.
func at(host string) func(sources.Provider) (string, string, error) {
	return func(p sources.Provider) (string, string, error) {
		return host, "mirror/" + p.Namespace() + "/" + p.Type(), nil
	}
}

// connect returns the source for a server, edited by whoever wants something special.
func connect(t *testing.T, s *registrytest.Server, edits ...func(*ocimirror.Config)) *ocimirror.Source {
	t.Helper()
	cfg := ocimirror.Config{Repository: at(s.Host()), Name: s.OCITemplate(), Client: s.Client(), Backoff: time.Millisecond}
	for _, edit := range edits {
		edit(&cfg)
	}
	source, err := ocimirror.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func fault(t *testing.T, s *registrytest.Server, f registrytest.Fault) {
	t.Helper()
	if err := s.AddFault(f); err != nil {
		t.Fatal(err)
	}
}

func fetch(ctx context.Context, pkg *sources.Package) ([]byte, error) {
	r, _, err := pkg.Content.Archive.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// describe asks for rocket 1.0.0 on linux_amd64.
func describe(t *testing.T, source sources.Source) (*sources.Package, error) {
	t.Helper()
	return source.Package(t.Context(), rocket, v1, linux)
}

// install does everything that an installation does with a source.
func install(t *testing.T, source sources.Source) error {
	t.Helper()
	if _, err := source.Versions(t.Context(), rocket); err != nil {
		return err
	}
	pkg, err := describe(t, source)
	if err != nil {
		return err
	}
	if _, err := pkg.Claims(t.Context()); err != nil {
		return err
	}
	_, err = fetch(t.Context(), pkg)
	return err
}

func TestItKeepsTheRules(t *testing.T) {
	t.Parallel()
	const password = "s3cr3t"
	s := start(t, registrytest.Config{OCI: registrytest.OCI{
		Auth: registrytest.OCIAuth{Scheme: registrytest.OCIBearer, Users: map[string]string{"wile": password}},
	}})
	fixture := sourcetest.Fixture{Secrets: []string{password}}
	for _, v := range []string{"1.0.0", "1.1.0-rc1+build.5"} {
		for _, on := range []sources.Platform{linux, darwin} {
			fixture.Packages = append(fixture.Packages, sourcetest.Package{Provider: rocket, Version: sources.MustParseVersion(v), Platform: on})
		}
	}
	source := connect(t, s, func(c *ocimirror.Config) {
		c.Credentials = &ocimirror.Keychain{Entries: []ocimirror.KeychainEntry{
			{Registry: s.Host(), Credential: ocimirror.Credential{Username: "wile", Password: password}},
		}}
	})
	if err := sourcetest.TestSource(t.Context(), source, fixture); err != nil {
		t.Error(err)
	}
}

func TestTheRepositoryIsNeeded(t *testing.T) {
	t.Parallel()
	if _, err := ocimirror.New(ocimirror.Config{}); err == nil || !strings.Contains(err.Error(), "Config.Repository") {
		t.Errorf("error is %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "OCI mirror", "a/${type}": "OCI mirror a/${type}", "a\nb": "OCI mirror a b"} {
		source, err := ocimirror.New(ocimirror.Config{Repository: at("a.example"), Name: name})
		if err != nil || source.String() != want {
			t.Errorf("%q: %v, %v", name, source, err)
		}
	}
}

func TestAProviderWithoutAnAddress(t *testing.T) {
	t.Parallel()
	cause := errors.New("it has none")
	for name, repository := range map[string]func(sources.Provider) (string, string, error){
		"an error":        func(sources.Provider) (string, string, error) { return "", "", cause },
		"no registry":     func(sources.Provider) (string, string, error) { return "", "a/b", nil },
		"no repository":   func(sources.Provider) (string, string, error) { return "a.example", "", nil },
		"upper case":      func(sources.Provider) (string, string, error) { return "a.example", "A/b", nil },
		"dots":            func(sources.Provider) (string, string, error) { return "a.example", "a/../b", nil },
		"a user":          func(sources.Provider) (string, string, error) { return "u:p@a.example", "a/b", nil },
		"a path":          func(sources.Provider) (string, string, error) { return "a.example/x", "a/b", nil },
		"a query":         func(sources.Provider) (string, string, error) { return "a.example?x", "a/b", nil },
		"a tag":           func(sources.Provider) (string, string, error) { return "a.example", "a/b:latest", nil },
		"a space":         func(sources.Provider) (string, string, error) { return "a .example", "a/b", nil },
		"a line break":    func(sources.Provider) (string, string, error) { return "a.example\r\n", "a/b", nil },
		"escaped slashes": func(sources.Provider) (string, string, error) { return "a.example", "a%2Fb", nil },
	} {
		source, err := ocimirror.New(ocimirror.Config{Repository: repository})
		if err != nil {
			t.Fatal(err)
		}
		_, err = source.Versions(t.Context(), rocket)
		if err == nil || errors.Is(err, sources.ErrNotFound) || !strings.Contains(err.Error(), rocket.String()) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "an error" && !errors.Is(err, cause) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
}

func TestAbsence(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	source := connect(t, s)
	if _, err := source.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/omega")); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("an unknown repository: %v", err)
	}
	for _, v := range []string{"9.0.0", "1.0.0-" + strings.Repeat("x", 200)} {
		if _, err := source.Package(t.Context(), rocket, sources.MustParseVersion(v), linux); !errors.Is(err, sources.ErrNotFound) {
			t.Errorf("an unknown version: %v", err)
		}
	}
	_, err := source.Package(t.Context(), rocket, v1, sources.Platform{OS: "plan9", Arch: "mips"})
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || !slices.Equal(platform.Available, []sources.Platform{darwin, linux}) {
		t.Errorf("an unknown platform: %v", err)
	}
}

// A registry that does not like the name of a repository has none of that name.
func TestNamesThatARegistryRefusesAreAbsent(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"NAME_INVALID", "NAME_UNKNOWN"} {
		s := start(t, registrytest.Config{})
		body := fmt.Appendf(nil, `{"errors":[{"code":%q,"message":"no such name"}]}`, code)
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Status: 400, Body: body})
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIManifest, Status: 400, Body: body})
		source := connect(t, s)
		if _, err := source.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v", code, err)
		}
		if _, err := describe(t, source); !errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestThePackageIsTheLayer(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	pkg, err := describe(t, connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if prefix := s.Host() + "/" + repositoryOf + "@sha256:"; !strings.HasPrefix(pkg.Location, prefix) {
		t.Errorf("the location is %q, want %s…", pkg.Location, prefix)
	}
	archive, err := fetch(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := hashing.Archive(t.Context(), strings.NewReader(string(archive)))
	if err != nil {
		t.Fatal(err)
	}
	claims, err := pkg.Claims(t.Context())
	want := []hashing.Claim{{Hash: sum, Authority: hashing.Reported, Platform: linux.String()}}
	if err != nil || !slices.Equal(claims.Package, want) || claims.Others != nil || claims.Signer != nil {
		t.Errorf("claims are %+v, %v; want %+v", claims, err, want)
	}
}

// What the registry claims is judged: another archive than the one of the digest does not pass.
func TestAnotherArchiveThanTheDigestSays(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIBlob, WrongHash: true})
	pkg, err := describe(t, connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := fetch(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := hashing.Archive(t.Context(), strings.NewReader(string(archive)))
	if err != nil {
		t.Fatal(err)
	}
	claims, err := pkg.Claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var mismatch *hashing.MismatchError
	if _, err := hashing.Judge(hashing.Computed{Archive: sum}, nil, claims); !errors.As(err, &mismatch) {
		t.Errorf("judged: %v", err)
	}
}

// What a registry refuses to tell is not absent, whatever it calls the refusal.
func TestRefusalsAreNoAbsence(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403} {
		s := start(t, registrytest.Config{})
		body := fmt.Appendf(nil, `{"errors":[{"code":"NAME_UNKNOWN","message":"no such name"}]}`)
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCITags, Status: status, Body: body})
		fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIManifest, Status: status, Body: body})
		source := connect(t, s)
		if _, err := source.Versions(t.Context(), rocket); errors.Is(err, sources.ErrNotFound) || !errors.Is(err, sources.ErrUnauthorized) {
			t.Errorf("%d: %v", status, err)
		}
		if _, err := describe(t, source); errors.Is(err, sources.ErrNotFound) || !errors.Is(err, sources.ErrUnauthorized) {
			t.Errorf("%d: %v", status, err)
		}
	}
}
