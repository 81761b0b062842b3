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
	guarded := registrytest.New(t, registrytest.Config{
		Token: "registry", MirrorToken: `m"`,
		OCI: registrytest.OCI{Auth: registrytest.OCIAuth{Scheme: registrytest.OCIBasic, Users: map[string]string{"bob": "b", "ann": `a"`}}},
	})
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
		"own OCI registry": {open, []registrytest.Method{{Type: registrytest.MethodOCIMirror}}, `provider_installation {
  oci_mirror {
    repository_template = "HOST/mirror/${namespace}/${type}"
  }
}
`},
		"own OCI registry with users": {guarded, []registrytest.Method{
			{Type: registrytest.MethodOCIMirror, Template: "HOST/${type}", Include: []string{"a.example/b/*"}}, {Type: registrytest.MethodOCIMirror},
		}, `provider_installation {
  oci_mirror {
    repository_template = "HOST/${type}"
    include = ["a.example/b/*"]
  }
  oci_mirror {
    repository_template = "HOST/mirror/${namespace}/${type}"
  }
}
oci_credentials "HOST" {
  username = "ann"
  password = "a\""
}
`},
		"another OCI registry": {guarded, []registrytest.Method{{Type: registrytest.MethodOCIMirror, Template: "a.example/${type}"}},
			"provider_installation {\n  oci_mirror {\n    repository_template = \"a.example/${type}\"\n  }\n}\n"},
		"another method": {open, []registrytest.Method{{Type: "carrier_pigeon"}}, "provider_installation {\n  carrier_pigeon {}\n}\n"},
	} {
		for i := range tt.methods {
			tt.methods[i].Template = strings.ReplaceAll(tt.methods[i].Template, "HOST", tt.server.Host())
		}
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
