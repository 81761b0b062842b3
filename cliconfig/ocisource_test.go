package cliconfig_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func release(provider, version string) registrytest.Release {
	return registrytest.Release{Provider: provider, Version: version, Platforms: []string{linux.String()}}
}

// ociRegistry is an OCI registry for one user.
func ociRegistry(t *testing.T, user, password string, releases ...registrytest.Release) *registrytest.Server {
	t.Helper()
	return registrytest.New(t, registrytest.Config{Releases: releases, OCI: registrytest.OCI{
		Auth: registrytest.OCIAuth{Scheme: registrytest.OCIBearer, Users: map[string]string{user: password}},
	}})
}

func trusting(servers ...*registrytest.Server) *http.Client {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AppendCertsFromPEM(s.CA())
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// dockerConfig is the text of ~/.docker/config.json with credentials: each is a key and "user:password".
func dockerConfig(entries ...string) string {
	var members []string
	for i := 0; i < len(entries); i += 2 {
		members = append(members, fmt.Sprintf(`%q: {"auth": %q}`, entries[i], base64.StdEncoding.EncodeToString([]byte(entries[i+1]))))
	}
	return `{"auths": {` + strings.Join(members, ", ") + `}}`
}

// fetched reads a provider's newest package, and where it is.
func fetched(ctx context.Context, source sources.Source, provider string) (location string, err error) {
	p := sources.MustParseProvider(provider)
	listing, err := source.Versions(ctx, p)
	if err != nil {
		return "", err
	}
	pkg, err := source.Package(ctx, p, listing.Versions[0].Version, linux)
	if err != nil {
		return "", err
	}
	r, size, err := pkg.Content.Archive.Open(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return pkg.Location, err
}

// Two mirrors, the origin for the others, and the credentials that docker login has stored: each provider comes from its
// place, and each registry gets the credentials that are for it and no others.
func TestTwoOCIMirrorsAndTheOrigin(t *testing.T) {
	t.Parallel()
	net := ociRegistry(t, "netter", "net-secret", release("example.net/acme/rocket", "1.0.0"))
	org := ociRegistry(t, "organ", "org-secret", release("example.org/acme/rocket", "2.0.0"))
	origin := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{
		release("example.com/acme/rocket", "3.0.0"), release("example.net/acme/rocket", "9.0.0"), release("example.org/acme/rocket", "9.0.0"),
	}})
	dir := tree(t, map[string]string{
		"rc": fmt.Sprintf(`
provider_installation {
  oci_mirror {
    repository_template = "%s/mirror/${namespace}/${type}"
    include             = ["example.net/*/*"]
  }
  oci_mirror {
    repository_template = "%s/mirror/${namespace}/${type}"
    include             = ["example.org/*/*"]
  }
  direct {
    exclude = ["example.net/*/*", "example.org/*/*"]
  }
}
%s`, net.Host(), org.Host(), origin.CLIConfig("example.com", "example.net", "example.org")),
		"home/.docker/config.json": dockerConfig(net.Host(), "netter:net-secret", "https://"+org.Host()+"/v1/", "organ:org-secret"),
	})
	config := load(t, environment(dir, linux, "TF_CLI_CONFIG_FILE=@/rc"))
	chain, err := config.Source(cliconfig.SourceOptions{Client: trusting(net, org, origin)})
	if err != nil {
		t.Fatal(err)
	}
	for provider, place := range map[string]*registrytest.Server{
		"example.net/acme/rocket": net, "example.org/acme/rocket": org, "example.com/acme/rocket": origin,
	} {
		location, err := fetched(t.Context(), chain, provider)
		if err != nil || !strings.Contains(location, place.Host()) {
			t.Errorf("%s came from %s, %v; want %s", provider, location, err, place.Host())
		}
	}
	mustOnlyGet(t, net, "netter", "net-secret")
	mustOnlyGet(t, org, "organ", "org-secret")
	mustOnlyGet(t, origin, "", "")
}

// mustOnlyGet checks that a server got no other password than one, and that one if it is not "".
func mustOnlyGet(t *testing.T, s *registrytest.Server, user, password string) {
	t.Helper()
	came := false
	for _, r := range s.Requests() {
		name, secret, isBasic := (&http.Request{Header: http.Header{"Authorization": {r.Authorization}}}).BasicAuth()
		if isBasic && (name != user || secret != password) || user == "" && r.Authorization != "" {
			t.Errorf("%s %s came as %q", r.Method, r.Path, name)
		}
		came = came || isBasic
	}
	if came != (user != "") {
		t.Errorf("the credentials came: %v", came)
	}
}

// What the configuration says comes before what docker login has stored, and a more specific block before another.
func TestOCICredentialsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{
		Releases: []registrytest.Release{release("acme/rocket", "1.0.0"), release("acme/anvil", "1.0.0")},
		OCI: registrytest.OCI{Auth: registrytest.OCIAuth{
			Scheme: registrytest.OCIBasic, Users: map[string]string{"a": "1", "b": "2"},
			Allow: func(user, repository, _ string) bool {
				return map[string]string{"a": "mirror/acme/anvil", "b": "mirror/acme/rocket"}[user] == repository
			},
		}},
	})
	dir := tree(t, map[string]string{
		"rc": fmt.Sprintf(`
provider_installation {
  oci_mirror {
    repository_template = "%[1]s/mirror/${namespace}/${type}"
    include             = ["registry.opentofu.org/*/*"]
  }
}
oci_credentials "%[1]s" {
  username = "a"
  password = "1"
}
oci_credentials "%[1]s/mirror/acme/rocket" {
  username = "b"
  password = "2"
}
`, s.Host()),
		"home/.docker/config.json": dockerConfig(s.Host(), "docker:wrong"),
	})
	chain, err := load(t, environment(dir, linux, "TF_CLI_CONFIG_FILE=@/rc")).Source(cliconfig.SourceOptions{Client: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for _, provider := range []string{"acme/rocket", "acme/anvil"} {
		if _, err := fetched(t.Context(), chain, provider); err != nil {
			t.Errorf("%s: %v", provider, err)
		}
	}
}

// A file of credentials that is broken is told about, and does not keep the others from being read.
func TestBrokenAmbientCredentials(t *testing.T) {
	t.Parallel()
	s := ociRegistry(t, "wile", "s3cr3t", release("acme/rocket", "1.0.0"))
	const rc = "provider_installation {\n  oci_mirror {\n    repository_template = \"%s/mirror/${namespace}/${type}\"\n    include = [\"registry.opentofu.org/*/*\"]\n  }\n}\n%s"
	files := map[string]string{
		"rc":                                fmt.Sprintf(rc, s.Host(), ""),
		"named":                             fmt.Sprintf(rc, s.Host(), "oci_default_credentials {\n  docker_style_config_files = [\"home/.docker/config.json\", \"home/.config/containers/auth.json\"]\n}\n"),
		"home/.config/containers/auth.json": `{"auths": `,
		"home/.docker/config.json":          dockerConfig(s.Host(), "wile:s3cr3t"),
	}
	dir := tree(t, files)
	p := sources.MustParseProvider("acme/rocket")
	chain, err := load(t, environment(dir, linux, "TF_CLI_CONFIG_FILE=@/rc")).Source(cliconfig.SourceOptions{Client: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := chain.Versions(t.Context(), p)
	if err != nil || len(listing.Warnings) != 1 || !strings.Contains(listing.Warnings[0], "auth.json") {
		t.Errorf("warnings %q, %v", listing.Warnings, err)
	}
	chain, err = load(t, environment(dir, linux, "TF_CLI_CONFIG_FILE=@/named")).Source(cliconfig.SourceOptions{Client: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	var broken *ocimirror.ConfigFileError
	if _, err := chain.Versions(t.Context(), p); !errors.As(err, &broken) || !strings.Contains(broken.File, "auth.json") {
		t.Errorf("a broken file that the configuration names: %v", err)
	}
}

func TestOCIHelpersAreLookedForInTheEnvironment(t *testing.T) {
	t.Parallel()
	config := parse(t, `oci_default_credentials { docker_credentials_helper = "missing" }`)
	_, err := config.OCICredentials().Credential(t.Context(), "r.example", "a/b")
	var failed *ocimirror.HelperError
	if !errors.As(err, &failed) || !errors.Is(err, exec.ErrNotFound) || failed.Program != "docker-credential-missing" {
		t.Errorf("error is %v", err)
	}
}

func TestOCIAccessTokens(t *testing.T) {
	t.Parallel()
	config := parse(t, "oci_credentials \"r.example\" {\n  access_token = \"a\"\n  refresh_token = \"r\"\n}\n")
	c, err := config.OCICredentials().Credential(t.Context(), "r.example", "a/b")
	if err != nil || c != (ocimirror.Credential{AccessToken: "a", RefreshToken: "r"}) {
		t.Errorf("got %+v, %v", c, err)
	}
}

// The settings of registries are those of mirrors, too.
func TestRetriesOfOCIMirrors(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{
		Releases: []registrytest.Release{release("acme/rocket", "1.2.3")},
		Faults:   []registrytest.Fault{{Kind: registrytest.KindOCITags, Status: 503}},
	})
	config := parse(t, s.InstallationConfig(registrytest.Method{Type: registrytest.MethodOCIMirror, Include: []string{"registry.opentofu.org/*/*"}})+
		"\nregistry_protocols {\n  retry_count = 0\n}\n")
	chain, err := config.Source(cliconfig.SourceOptions{Client: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Versions(t.Context(), sources.MustParseProvider("acme/rocket")); !errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("want an outage: %v", err)
	}
	if n := s.Count(registrytest.KindOCITags); n != 1 {
		t.Errorf("%d attempts with retry_count = 0", n)
	}
}
