package cliconfig_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

func parse(t *testing.T, src string) *cliconfig.Config {
	t.Helper()
	config, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return config
}

func TestOCICredentials(t *testing.T) {
	t.Parallel()
	config := parse(t, `
oci_credentials "r.example" { docker_credentials_helper = "osx" }
oci_credentials "r.example:5000/team/x" { username = "u", password = "p" }
"oci_credentials" "s.example" {
  access_token  = "a"
  refresh_token = "r"
}
oci_default_credentials { docker_credentials_helper = "all" }`)
	want := []cliconfig.OCICredentials{
		{Registry: "r.example", Helper: "osx"},
		{Registry: "r.example:5000", Repository: "team/x", Username: "u", Password: "p"},
		{Registry: "s.example", AccessToken: "a", RefreshToken: "r"},
	}
	if len(config.OCI.Credentials) != len(want) || config.OCI.DefaultHelper != "all" {
		t.Fatalf("got %+v", config.OCI)
	}
	for i, got := range config.OCI.Credentials {
		if want[i].Range = got.Range; got != want[i] {
			t.Errorf("got %+v", got)
		}
	}
}

func TestItemsThatTerraformDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, err string }{
		{`oci_credentials "r.example" {}`, "exactly one of"},
		{`oci_credentials "r.example" { username = "u", password = "p", docker_credentials_helper = "x" }`, "exactly one of"},
		{`oci_credentials "r.example" { username = "u" }`, `needs the argument "password"`},
		{`oci_credentials "r.example" { username = "", password = "p" }`, `needs the argument "username"`},
		{`oci_credentials "r.example" { access_token = "u" }`, `needs the argument "refresh_token"`},
		{`oci_credentials "r.example" { docker_credentials_helper = "" }`, "must not be empty"},
		{`oci_credentials "r.example" { docker_credentials_helper = "../x" }`, "not a path"},
		{`oci_credentials "r.example/x" { docker_credentials_helper = "x" }`, "domain alone"},
		{`oci_credentials "https://r.example" { docker_credentials_helper = "x" }`, "must be the domain"},
		{`oci_credentials "r.example/X" { username = "u", password = "p" }`, "must be the domain"},
		{`oci_credentials "r.example/" { username = "u", password = "p" }`, "must be the domain"},
		{`oci_credentials "" { username = "u", password = "p" }`, "must be the domain"},
		{`oci_credentials { username = "u", password = "p" }`, "Missing repository prefix"},
		{`oci_credentials = { "r.example" = {} }`, "without an equals sign"},
		{`oci_credentials "a.b" { username = "u", password = "p" } oci_credentials "a.b" { username = "v", password = "q" }`, "already"},
		{`oci_default_credentials {} oci_default_credentials {}`, "only one in all files"},
		{`oci_default_credentials { discover_ambient_credentials = false, docker_style_config_files = [] }`, "has no meaning"},
		{`oci_default_credentials { discover_ambient_credentials = "no" }`, "true or false"},
		{`oci_default_credentials { docker_credentials_helper = "a/b" }`, "not a path"},
		{`registry_protocols { retry_count = 1 } registry_protocols {}`, "at most one"},
		{`registry_protocols { retry_count = 1.5 }`, "whole number"},
		{`registry_protocols { retry_count = "x" }`, "whole number"},
		{`registry_protocols { request_timeout_seconds = 99999999999 }`, "whole number"},
		{`registry_protocols = 5`, "must be an object"},
		{`provider_installation { network_mirror { url = "https://x/", trust_all_hashes = "true" } }`, "true or false"},
		{`provider_installation { network_mirror { url = "https://x/", trust_all_hashes = 1 } }`, "true or false"},
		{`provider_installation { network_mirror { url = "https://x/", use_mirror_credentials = "yes" } }`, "true or false"},
		{`provider_installation { direct { download_retry_count = 1.5 } }`, "whole number"},
		{`provider_installation { direct { download_retry_count = [] } }`, "whole number"},
		{`{"oci_credentials": {"r.example": {"docker_credentials_helper": "a/b"}}}`, "not a path"},
		{`{"oci_default_credentials": [{}, {}]}`, "only one in all files"},
	} {
		config, diags := cliconfig.Parse([]byte(c.src), "rc", cliconfig.Options{})
		if !diags.HasErrors() || !strings.Contains(diags.Error(), c.err) || config.OCI.Credentials != nil {
			t.Errorf("%s\nwant %q: %v", c.src, c.err, diags)
		}
	}
}

func TestNetworkMirrorArguments(t *testing.T) {
	t.Parallel()
	config := parse(t, `provider_installation {
  network_mirror {
    url                    = "https://x/"
    download_retry_count   = "3"
    trust_all_hashes       = true
    use_mirror_credentials = true
  }
  network_mirror {
    url                  = "https://y/"
    download_retry_count = -1
  }
}
registry_protocols = { retry_count = 0, unknown = 1 }`)
	x, y := config.Methods[0].Location.(cliconfig.NetworkMirror), config.Methods[1].Location.(cliconfig.NetworkMirror)
	if *x.DownloadRetryCount != 3 || !x.TrustAllHashes || !x.UseMirrorCredentials {
		t.Errorf("got %+v", x)
	}
	if *y.DownloadRetryCount != -1 || y.TrustAllHashes || y.UseMirrorCredentials {
		t.Errorf("got %+v", y)
	}
	if *config.Protocols.RetryCount != 0 || config.Protocols.Timeout != nil {
		t.Errorf("got %+v", config.Protocols)
	}
}

func TestWhereOCICredentialsAreLookedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, src, os string
		env           []string
		want          []string
		required      bool
	}{
		{name: "Linux", os: "linux", env: []string{"XDG_RUNTIME_DIR=@/run"}, want: []string{"run/containers/auth.json", "home/.config/containers/auth.json", "home/.docker/config.json", "home/.dockercfg"}},
		{name: "Linux with XDG", os: "linux", env: []string{"XDG_CONFIG_HOME=@/xdg"}, want: []string{"xdg/containers/auth.json", "home/.docker/config.json", "home/.dockercfg"}},
		{name: "macOS", os: "darwin", want: []string{"home/.config/containers/auth.json", "home/.docker/config.json", "home/.dockercfg"}},
		{name: "Windows with XDG", os: "windows", env: []string{"XDG_CONFIG_HOME=@/xdg"}, want: []string{"home/.config/containers/auth.json", "xdg/containers/auth.json", "home/.docker/config.json", "home/.dockercfg"}},
		{name: "not at all", os: "linux", src: `oci_default_credentials { discover_ambient_credentials = false }`},
		{name: "in no file", os: "linux", src: `oci_default_credentials { docker_style_config_files = [] }`, required: true},
		{name: "in named files", os: "linux", src: `oci_default_credentials { docker_style_config_files = ["a.json", "../b.json"] }`, want: []string{"rc/a.json", "b.json"}, required: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"rc/rc": c.src})
			config := load(t, environment(dir, sources.Platform{OS: c.os, Arch: "amd64"}, append(c.env, "TF_CLI_CONFIG_FILE=@/rc/rc")...))
			var got []string
			for _, file := range config.OCI.ConfigFiles {
				rel, _ := filepath.Rel(dir, file)
				got = append(got, filepath.ToSlash(rel))
			}
			if !slices.Equal(got, c.want) || config.OCI.ConfigFilesRequired != c.required {
				t.Errorf("got %q, required: %v", got, config.OCI.ConfigFilesRequired)
			}
		})
	}
}
