package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is a new directory with a configuration that requires all providers, and with a home for the clients.
type module struct {
	registry *registry
	root     string
}

func newModule(r *registry, count int) (_ *module, err error) {
	root, err := os.MkdirTemp("", "purveyor-bench-")
	if err != nil {
		return nil, err
	}
	m := &module{r, root}
	defer func() {
		if err != nil {
			m.remove()
		}
	}()
	return m, errors.Join(
		os.Mkdir(m.dir(), 0o755),
		os.WriteFile(filepath.Join(m.dir(), "main.tf"), requirements(r.Host, count), 0o644),
		os.WriteFile(m.home("ca.pem"), []byte(r.CA), 0o644),
		os.WriteFile(m.home("cli.tfrc"), nil, 0o644),
	)
}

func (m *module) dir() string { return m.home("module") }

func (m *module) home(name string) string { return filepath.Join(m.root, name) }

func (m *module) remove() { _ = os.RemoveAll(m.root) } // it is a temporary directory: what cannot go, the system cleans

func requirements(host string, count int) []byte {
	var text strings.Builder
	text.WriteString("terraform {\n  required_providers {\n")
	for i := range count {
		fmt.Fprintf(&text, "    p%d = {\n      source = %q\n    }\n", i, host+"/"+provider(i))
	}
	text.WriteString("  }\n}\n")
	return []byte(text.String())
}

// measure lets a client install the providers and appends what it took.
func (m *module) measure(ctx context.Context, c contestant, to []sample) ([]sample, error) {
	cmd := exec.CommandContext(ctx, c.path, c.args...)
	cmd.Dir = m.dir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + m.root, "TMPDIR=" + m.root, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"SSL_CERT_FILE=" + m.home("ca.pem"), "TF_CLI_CONFIG_FILE=" + m.home("cli.tfrc"),
	}
	if _, err := m.registry.requests(); err != nil { // begin to count
		return to, err
	}
	s, err := measure(cmd)
	if err != nil {
		return to, err
	}
	s.requests, err = m.registry.requests()
	return append(to, s), err
}
