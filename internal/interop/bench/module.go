package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// module is a new directory with a configuration that requires all providers of a set, and with a home for the clients.
type module struct {
	registry *registry
	set      int
	root     string
}

// mirrored is the host of providers that come from a mirror: not the registry's, for terraform does not ask mirrors for
// hosts with a port.
const mirrored = "registry.example.com"

func newModule(r *registry, s *scenario, set int) (_ *module, err error) {
	root, err := os.MkdirTemp("", "purveyor-bench-")
	if err != nil {
		return nil, err
	}
	m := &module{r, set, root}
	defer func() {
		if err != nil {
			m.remove()
		}
	}()
	return m, errors.Join(
		os.Mkdir(m.dir(), 0o755),
		os.WriteFile(filepath.Join(m.dir(), "main.tf"), requirements(s.host(r), set, s.offer.Sets[set].Count), 0o644),
		os.WriteFile(m.home("ca.pem"), []byte(r.CA), 0o644),
		os.WriteFile(m.home("cli.tfrc"), s.configuration(r), 0o644),
	)
}

func (m *module) dir() string { return m.home("module") }

func (m *module) home(name string) string { return filepath.Join(m.root, name) }

func (m *module) remove() { _ = os.RemoveAll(m.root) } // it is a temporary directory: what cannot go, the system cleans

// host is that of the providers' addresses. Clients that install from a registry find it by themselves.
func (s *scenario) host(r *registry) string {
	if s.mirror {
		return mirrored
	}
	return r.Host
}

// configuration is the clients' CLI configuration.
func (s *scenario) configuration(r *registry) []byte {
	if !s.mirror {
		return nil
	}
	return fmt.Appendf(nil, "provider_installation {\n  network_mirror {\n    url = %q\n  }\n}\n", r.Mirror)
}

func requirements(host string, set, count int) []byte {
	var text strings.Builder
	text.WriteString("terraform {\n  required_providers {\n")
	for i := range count {
		fmt.Fprintf(&text, "    p%d = {\n      source = %q\n    }\n", i, host+"/"+provider(set, i))
	}
	text.WriteString("  }\n}\n")
	return []byte(text.String())
}

// archiveURL is where the registry has the archive of the set's first provider.
func (m *module) archiveURL() string {
	address := provider(m.set, 0)
	_, name, _ := strings.Cut(address, "/")
	return fmt.Sprintf("https://%s/releases/%s/%s/terraform-provider-%s_%s_%s_%s.zip",
		m.registry.Host, address, version, name, version, runtime.GOOS, runtime.GOARCH)
}

// measure runs a command.
func (m *module) measure(ctx context.Context, c command) (sample, error) {
	words := c(m)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = m.dir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + m.root, "TMPDIR=" + m.root, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"SSL_CERT_FILE=" + m.home("ca.pem"), "TF_CLI_CONFIG_FILE=" + m.home("cli.tfrc"),
	}
	if _, err := m.registry.usage(); err != nil { // begin to count
		return sample{}, err
	}
	s, err := measure(cmd)
	if err != nil {
		return sample{}, err
	}
	use, err := m.registry.usage()
	s[requests], s[connections] = float64(use.Requests), float64(use.Connections)
	return s, err
}
