package registrytest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestInstallationConfig(t *testing.T) {
	t.Parallel()
	open := registrytest.New(t, registrytest.Config{})
	guarded := registrytest.New(t, registrytest.Config{Token: "registry", MirrorToken: `m"`})
	for name, tt := range map[string]struct {
		server  *registrytest.Server
		methods []registrytest.Method
		want    string
	}{
		"nothing": {open, nil, "provider_installation {\n}\n"},
		"direct":  {guarded, []registrytest.Method{{}}, "provider_installation {\n  direct {}\n}\n"},
		"all arguments": {open, []registrytest.Method{{
			Type: registrytest.MethodFilesystemMirror, Path: `C:\mirror`,
			Include: []string{"a.example/*/*", "acme/alpha"}, Exclude: []string{"${x}/y"}, More: []string{"other = true"},
		}}, `provider_installation {
  filesystem_mirror {
    path = "C:\\mirror"
    include = ["a.example/*/*", "acme/alpha"]
    exclude = ["$${x}/y"]
    other = true
  }
}
`},
		"own mirror": {open, []registrytest.Method{{Type: registrytest.MethodNetworkMirror}}, `provider_installation {
  network_mirror {
    url = "https://HOST/mirror/"
  }
}
`},
		"own mirrors with a token": {guarded, []registrytest.Method{
			{Type: registrytest.MethodNetworkMirror, Include: []string{"a/b"}}, {Type: registrytest.MethodNetworkMirror},
		}, `provider_installation {
  network_mirror {
    url = "https://HOST/mirror/"
    include = ["a/b"]
  }
  network_mirror {
    url = "https://HOST/mirror/"
  }
}
credentials "HOST" {
  token = "m\""
}
`},
		"another mirror": {guarded, []registrytest.Method{{Type: registrytest.MethodNetworkMirror, URL: "https://a.example/"}},
			"provider_installation {\n  network_mirror {\n    url = \"https://a.example/\"\n  }\n}\n"},
		"another method": {open, []registrytest.Method{{Type: "carrier_pigeon"}}, "provider_installation {\n  carrier_pigeon {}\n}\n"},
	} {
		got := tt.server.InstallationConfig(tt.methods...)
		if want := strings.ReplaceAll(tt.want, "HOST", tt.server.Host()); got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

func TestEnvironConfigWritesTheText(t *testing.T) {
	t.Parallel()
	s, dir := registrytest.New(t, registrytest.Config{}), t.TempDir()
	environ, err := s.EnvironConfig(dir, "# mine\n")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "cli.tfrc")
	if text, err := os.ReadFile(name); string(text) != "# mine\n" || err != nil || environ[1] != "TF_CLI_CONFIG_FILE="+name {
		t.Errorf("got %q, %v in %q", text, err, environ)
	}
}
