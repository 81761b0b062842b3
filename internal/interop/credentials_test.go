package interop_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const (
	tokenOfEnvironment = "from-the-environment" // for mirror.example.com
	tokenOfHelper      = "from-the-helper"      // for private.example.com
)

// network has a server for each of its hosts, which a client reaches by their names.
type network map[string]*registrytest.Server

func newNetwork(t *testing.T) network {
	t.Helper()
	author, err := registrytest.NewSigner("author", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	releases := []registrytest.Release{{Provider: "acme/rocket", Version: "1.2.3"}, {Provider: "acme/comet", Version: "0.1.0"}}
	start := func(cfg registrytest.Config) *registrytest.Server {
		cfg.Releases, cfg.Signer = releases, author
		return registrytest.New(t, cfg)
	}
	return network{
		"mirror.example.com":  start(registrytest.Config{MirrorToken: tokenOfEnvironment, FilesHost: "files.example.com"}),
		"private.example.com": start(registrytest.Config{Token: tokenOfHelper, FilesHost: "files.example.com"}),
		"files.example.com":   start(registrytest.Config{}),
		"other.example.com":   start(registrytest.Config{}),
	}
}

// client returns one that trusts all servers and finds them by the names of their hosts, whatever the port.
func (n network) client(t *testing.T) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	for _, srv := range n {
		if !pool.AppendCertsFromPEM(srv.CA()) {
			t.Fatal("a server has no certificate")
		}
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		srv, ok := n[host]
		if !ok {
			return nil, fmt.Errorf("there is no host %s", host)
		}
		return new(net.Dialer).DialContext(ctx, network, srv.Host())
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
}

// fault makes something go wrong at a host.
func (n network) fault(t *testing.T, host string, f registrytest.Fault) {
	t.Helper()
	if err := n[host].AddFault(f); err != nil {
		t.Fatal(err)
	}
}

// helped is an environment with a token in a variable, and a credentials helper that knows another.
func helped(t *testing.T, config string) (env cliconfig.Environment, asked func() []string) {
	t.Helper()
	home, tokens := t.TempDir(), t.TempDir()
	program := filepath.Join(home, ".terraform.d", "plugins", "terraform-credentials-interop")
	if runtime.GOOS == "windows" {
		t.Skip("not tested: helpers are looked for elsewhere on Windows")
	}
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./credentials").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	text := config + fmt.Sprintf("credentials_helper \"interop\" {\n  args = [%q]\n}\n", tokens)
	for path, content := range map[string]string{
		filepath.Join(home, ".terraformrc"):          text,
		filepath.Join(tokens, "private.example.com"): tokenOfHelper,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env = cliconfig.Environment{WorkingDir: home, Variables: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TF_TOKEN_mirror_example_com=" + tokenOfEnvironment,
	}}
	return env, func() []string {
		log, err := os.ReadFile(filepath.Join(tokens, "asked"))
		if err != nil {
			t.Error(err)
		}
		return strings.Fields(string(log))
	}
}

const mirrorAndRegistry = `
provider_installation {
  network_mirror {
    url     = "https://mirror.example.com/mirror/"
    include = ["registry.example.com/*/*"]
  }
  direct {
    include = ["private.example.com/*/*"]
  }
}
`

// installTwo installs a provider of the mirror and one of the private registry.
func installTwo(t *testing.T, n network, env cliconfig.Environment) error {
	t.Helper()
	config, diags := cliconfig.Load(env, cliconfig.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	source, err := config.Source(cliconfig.SourceOptions{Client: n.client(t)})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	main := requires("registry.example.com/acme/rocket", "private.example.com/acme/comet")
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = (&client.Init{Dir: dir, Source: source, Registry: sources.DefaultRegistry}).Run(t.Context())
	return err
}

// checkTokens checks that each host got its own token, with requests that need one and with no others.
func (n network) checkTokens(t *testing.T) {
	t.Helper()
	own := map[string]string{"mirror.example.com": "Bearer " + tokenOfEnvironment, "private.example.com": "Bearer " + tokenOfHelper}
	for host, srv := range n {
		for _, r := range srv.Requests() {
			switch {
			case r.Authorization == "":
			case r.Authorization != own[host]:
				t.Errorf("%s got %q with %s %s", host, r.Authorization, r.Method, r.Path)
			case r.Kind == registrytest.KindArchive || r.Kind == registrytest.KindSums || r.Kind == registrytest.KindSignature:
				t.Errorf("%s got its token with a file, %s", host, r.Path)
			}
		}
	}
}

func TestTokensGoToTheirHostsOnly(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	env, asked := helped(t, mirrorAndRegistry)
	if err := installTwo(t, n, env); err != nil {
		t.Fatal(err)
	}
	n.checkTokens(t)
	if len(n["files.example.com"].Requests()) == 0 {
		t.Error("the archives came from where the token was good, so nothing is shown about other hosts")
	}
	hosts := asked()
	if !slices.Contains(hosts, "private.example.com") || slices.Contains(hosts, "mirror.example.com") {
		t.Errorf("the helper was asked for %v, want what the environment has no token for", hosts)
	}
	if slices.Sort(hosts); len(slices.Compact(slices.Clone(hosts))) != len(hosts) {
		t.Errorf("the helper was asked more than once for one host: %v", hosts)
	}
}

func TestRedirectsTakeNoTokensAlong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		host string
		kind registrytest.Kind
		path string // at other.example.com
	}{
		"the mirror's index":     {"mirror.example.com", registrytest.KindMirrorIndex, "/mirror/registry.example.com/acme/rocket/index.json"},
		"the mirror's version":   {"mirror.example.com", registrytest.KindMirrorVersion, "/mirror/registry.example.com/acme/rocket/1.2.3.json"},
		"the registry's list":    {"private.example.com", registrytest.KindVersions, "/v1/providers/acme/comet/versions"},
		"the registry's package": {"private.example.com", registrytest.KindPackage, "/v1/providers/acme/comet/0.1.0/download/" + runtime.GOOS + "/" + runtime.GOARCH},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			n.fault(t, test.host, registrytest.Fault{Kind: test.kind, Redirect: "https://other.example.com" + test.path})
			env, _ := helped(t, mirrorAndRegistry)
			if err := installTwo(t, n, env); err != nil {
				t.Error(err)
			}
			n.checkTokens(t)
			requests := n["other.example.com"].Requests()
			if len(requests) == 0 {
				t.Error("the redirect was not followed, so nothing is shown")
			}
			for _, r := range requests {
				if r.Authorization != "" {
					t.Errorf("%s got %q", r.Path, r.Authorization)
				}
			}
		})
	}
}
