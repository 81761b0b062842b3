package interop_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// dockerConfig is what "docker login" writes.
func dockerConfig(password string, addresses ...string) string {
	auth := base64.StdEncoding.EncodeToString([]byte(ociUser + ":" + password))
	var auths []string
	for _, address := range addresses {
		auths = append(auths, fmt.Sprintf("%q: {\"auth\": %q}", address, auth))
	}
	return `{"auths": {` + strings.Join(auths, ", ") + `}}`
}

func TestCredentialsOfOCIRegistries(t *testing.T) {
	t.Parallel()
	w := publishedRocket(t, "1.0.0")
	installation := "provider_installation {\n" + ociBlock(w.oci.address, "registry.example.com/*/*") + "}\n"
	for _, test := range []struct {
		name, config, docker string
		refused              bool
	}{
		{name: "none", config: installation, docker: "{}", refused: true},
		{name: "in the configuration", config: installation + ociCredentials(w.oci.address), docker: "{}"},
		{name: "in the configuration, for a repository", config: installation + ociCredentials(w.oci.address+"/mirror/acme"), docker: "{}"},
		{name: "of docker", config: installation, docker: dockerConfig(ociPassword, w.oci.address)},
		{name: "of docker, wrong", config: installation, docker: dockerConfig("wrong", w.oci.address), refused: true},
		{name: "of docker, for another registry", config: installation, docker: dockerConfig(ociPassword, "127.0.0.1:1"), refused: true},
		{name: "of docker, not to be used", config: installation + "oci_default_credentials {\n  discover_ambient_credentials = false\n}\n", docker: dockerConfig(ociPassword, w.oci.address), refused: true},
		{name: "of docker, wrong, but right in the configuration", config: installation + ociCredentials(w.oci.address), docker: dockerConfig("wrong", w.oci.address)},
	} {
		w.configure(t, test.config)
		writeFiles(t, w.home, files{".docker/config.json": test.docker})
		_, err := w.tryMirrors(t, w.module(t, files{"main.tf": requires(rocket)}))
		if test.refused != (err != nil) || err != nil && !errors.Is(err, sources.ErrUnauthorized) {
			t.Errorf("%s: the error is %v", test.name, err)
		}
		if err != nil && strings.Contains(err.Error(), ociPassword) {
			t.Errorf("%s: the error has the password", test.name)
		}
	}
}

func TestWrongCredentialsPublishNothing(t *testing.T) {
	t.Parallel()
	w := rocketWorld(t)
	config := w.config(t, w.oci.address)
	config.Credentials = &ocimirror.Keychain{Entries: []ocimirror.KeychainEntry{{
		Registry:   w.oci.address,
		Credential: ocimirror.Credential{Username: ociUser, Password: "wrong"},
	}}}
	_, err := newTarget(t, config).Push(t.Context(), w.release(t, rocket, "1.0.0", "linux_amd64"))
	if !errors.Is(err, sources.ErrUnauthorized) {
		t.Errorf("the error is %v", err)
	}
	if writes := w.oci.writes(t); len(writes) != 0 {
		t.Errorf("there are requests to write: %v", writes)
	}
}

func TestEachProviderComesFromItsOwnMirror(t *testing.T) {
	t.Parallel()
	w := newOCIWorld(t, registrytest.Config{Releases: append(releases("acme/rocket", "1.0.0"), releases("acme/sled", "2.0.0")...)})
	w.add(t, releases("hashicorp/alpha", "3.0.0")...)
	w.add(t, releases("hashicorp/rocket", "4.0.0")...)
	second := w.another(t)
	w.publish(t, rocket, "1.0.0", here)
	if _, err := w.target(t, second.address).Push(t.Context(), w.release(t, "registry.terraform.io/hashicorp/alpha", "3.0.0", here)); err != nil {
		t.Fatal(err)
	}
	w.configure(t, w.srv.CLIConfig(hosts...)+"provider_installation {\n"+
		ociBlock(w.oci.address, "registry.example.com/acme/rocket")+
		ociBlock(second.address, "hashicorp/alpha")+
		"  direct {\n    exclude = [\"registry.example.com/acme/rocket\", \"hashicorp/alpha\"]\n  }\n}\n")
	writeFiles(t, w.home, files{".docker/config.json": dockerConfig(ociPassword, w.oci.address, second.address)})
	w.forget(t)
	second.forget(t)

	m := w.module(t, files{"main.tf": requires(rocket, sled, "hashicorp/alpha")}).sharing(t.TempDir())
	if output, err := w.ociChild(t.Context(), m).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	checkPackages(t, m, m.cache)
	if locks := m.locks(t); len(locks) != 3 {
		t.Errorf("there are %d providers", len(locks))
	}
	for name, blobs := range map[string][]ociRequest{
		"mirror/acme/rocket":     w.oci.successful(t, "GET", "/blobs/"),
		"mirror/hashicorp/alpha": second.successful(t, "GET", "/blobs/"),
	} {
		if len(blobs) == 0 {
			t.Errorf("%s: nothing was downloaded", name)
		}
		for _, q := range blobs {
			if !strings.HasPrefix(q.path, "/v2/"+name+"/") {
				t.Errorf("%s: there is a download of %s", name, q.path)
			}
		}
	}
	if w.downloads() != 1 {
		t.Errorf("the provider registry had %d downloads", w.downloads())
	}
	for _, r := range w.srv.Requests() {
		if r.Provider != "" && r.Provider != "acme/sled" {
			t.Errorf("the provider registry was asked for %s", r.Path)
		}
	}
}
