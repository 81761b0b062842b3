package interop_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/interop/client"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// ociWorld is a world with a real OCI registry beside the registry that providers come from.
type ociWorld struct {
	*world
	oci    *ociRegistry
	all    []*ociRegistry // oci among them
	home   string
	signer *registrytest.Signer // of all releases
}

// newOCIWorld is a world without terraform and tofu.
func newOCIWorld(t *testing.T, cfg registrytest.Config) *ociWorld {
	t.Helper()
	return newOCIWorldFor(t, cli{registry: sources.TerraformRegistry}, cfg)
}

func newOCIWorldFor(t *testing.T, c cli, cfg registrytest.Config) *ociWorld {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skipf("not tested: processes cannot be told by SSL_CERT_FILE to trust the registries on %s", runtime.GOOS)
	}
	w := &ociWorld{home: t.TempDir()}
	var err error
	if w.signer, err = registrytest.NewSigner("author", registrytest.SignerOptions{}); err != nil {
		t.Fatal(err)
	}
	cfg.Signer = w.signer
	w.world = newWorld(t, c, cfg)
	w.env = append(w.env, "HOME="+w.home, "XDG_CONFIG_HOME="+w.home, "XDG_RUNTIME_DIR="+w.home, "SSL_CERT_FILE="+filepath.Join(w.home, "all.pem"))
	w.oci = w.another(t)
	w.mirrorAt(t, w.oci.address)
	return w
}

// another starts one more OCI registry, which all clients of the world trust.
func (w *ociWorld) another(t *testing.T) *ociRegistry {
	t.Helper()
	r := newOCIRegistry(t)
	w.all = append(w.all, r)
	certificates := w.srv.CA()
	for _, r := range w.all {
		certificates = append(certificates, r.authority...)
	}
	writeFiles(t, w.home, files{"all.pem": string(certificates)})
	return r
}

// mirrorAt makes the OCI registry at an address, which may be that of something in between, the only source.
func (w *ociWorld) mirrorAt(t *testing.T, address string) {
	t.Helper()
	w.configure(t, "provider_installation {\n"+ociBlock(address, "registry.example.com/*/*")+"}\n"+ociCredentials(address))
}

// configure writes the configuration, which terraform cannot read if it has an oci_mirror block.
func (w *ociWorld) configure(t *testing.T, text string) {
	t.Helper()
	writeFiles(t, w.home, files{"oci.tfrc": text})
}

// ociBlock is a method for provider_installation.
func ociBlock(address, include string) string {
	return fmt.Sprintf("  oci_mirror {\n    repository_template = \"%s/mirror/${namespace}/${type}\"\n    include = [%q]\n  }\n", address, include)
}

// ociCredentials is the block with the password of the OCI registry at an address.
func ociCredentials(address string) string {
	return fmt.Sprintf("oci_credentials %q {\n  username = %q\n  password = %q\n}\n", address, ociUser, ociPassword)
}

// ociEnv is the environment of those who read that configuration.
func (w *ociWorld) ociEnv() []string {
	return append(slices.Clone(w.env), "TF_CLI_CONFIG_FILE="+filepath.Join(w.home, "oci.tfrc"))
}

// client trusts all registries, and finds the provider registry by the names of its hosts.
func (w *ociWorld) client(t *testing.T) *http.Client {
	t.Helper()
	c := w.srv.Client()
	transport, ok := c.Transport.(*http.Transport)
	if !ok {
		t.Fatalf("the client has a %T", c.Transport)
	}
	pool := w.srv.CertPool()
	for _, r := range w.all {
		if !pool.AppendCertsFromPEM(r.authority) {
			t.Fatal("an OCI registry has no certificate")
		}
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// mirrors are the sources that the configuration names.
func (w *ociWorld) mirrors(t *testing.T) sources.Source {
	t.Helper()
	config, diags := cliconfig.Load(cliconfig.Environment{WorkingDir: w.home, Variables: w.ociEnv()}, cliconfig.Options{Registry: w.cli.registry})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	source, err := config.Source(cliconfig.SourceOptions{Client: w.client(t)})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// tryMirrors lets the library do for a module what init does, with the configuration.
func (w *ociWorld) tryMirrors(t *testing.T, m *module) (*installer.Result, error) {
	t.Helper()
	init := client.Init{Dir: m.dir, CacheDir: m.cache, Source: w.mirrors(t), Registry: w.cli.registry}
	return init.Run(t.Context())
}

// useMirrors is tryMirrors for what must succeed.
func (w *ociWorld) useMirrors(t *testing.T, m *module) *installer.Result {
	t.Helper()
	result, err := w.tryMirrors(t, m)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// ociChild is client.Main with the configuration, in a process of its own.
func (w *ociWorld) ociChild(ctx context.Context, m *module) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-config", "-registry", w.cli.registry.String(), "-cache", m.cache)
	cmd.Dir, cmd.Env = m.dir, append(w.ociEnv(), childVariable+"=1")
	return cmd
}

// buildPurveyor builds the program that people publish with, and returns its path.
func buildPurveyor(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "purveyor")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./examples/purveyor")
	build.Dir = filepath.Join("..", "..")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

func writeFiles(t *testing.T, dir string, contents files) {
	t.Helper()
	(&module{dir: dir}).write(t, contents)
}
