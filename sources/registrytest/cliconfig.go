package registrytest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usualHosts are the ones that CLIConfig points at the server when it is told none: the hosts of addresses without one, so
// that nothing leaves the machine, and a host for examples.
var usualHosts = []string{"registry.example.com", "registry.opentofu.org", "registry.terraform.io"}

// CLIConfig returns the text of a CLI configuration file that makes terraform and tofu use this server in the place of the
// given hosts, with credentials when the server wants a token. Without hosts, it does so for the hosts that releases name,
// registry.example.com, registry.terraform.io and registry.opentofu.org.
//
// The format is https://developer.hashicorp.com/terraform/cli/config/config-file.
func (s *Server) CLIConfig(hosts ...string) string {
	if len(hosts) == 0 {
		hosts = s.hosts()
	}
	var text strings.Builder
	for _, host := range hosts {
		fmt.Fprintf(&text, "host %s {\n  services = {\n    %s = %s\n  }\n}\n",
			quote(host), quote(providersService), quote(s.HostServices(host)[providersService]))
		text.WriteString(credentialsBlock(host, s.cfg.Token))
	}
	return text.String()
}

// hosts returns the hosts that matter to somebody who names none: those of releases, and the usual ones.
func (s *Server) hosts() []string {
	hosts := append(s.catalog.hosts(), usualHosts...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// credentialsBlock returns "" when there is no token.
func credentialsBlock(host, token string) string {
	if token == "" {
		return ""
	}
	return fmt.Sprintf("credentials %s {\n  token = %s\n}\n", quote(host), quote(token))
}

// quote makes an HCL string literal: https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md#template-expressions
func quote(s string) string {
	return `"` + strings.NewReplacer(
		`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "${", "$${", "%{", "%%{",
	).Replace(s) + `"`
}

// Environ writes ca.pem and cli.tfrc, as [Server.CA] and [Server.CLIConfig] return them, into the directory dir and returns
// the environment variables that make a terraform or tofu process use them, to be appended to the Env of an [os/exec.Cmd].
// SSL_CERT_FILE works on Linux and the BSDs; elsewhere the CA must go into the system's trust store.
func (s *Server) Environ(dir string, hosts ...string) ([]string, error) {
	return s.EnvironConfig(dir, s.CLIConfig(hosts...))
}

// EnvironConfig is like [Server.Environ] with the text of the configuration given, for instance
//
//	s.CLIConfig() + s.InstallationConfig(registrytest.Method{Type: registrytest.MethodNetworkMirror})
func (s *Server) EnvironConfig(dir, text string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, &Error{Op: "write configuration", What: dir, Err: err}
	}
	ca, config := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cli.tfrc")
	if err := os.WriteFile(ca, s.CA(), 0o644); err != nil {
		return nil, &Error{Op: "write configuration", Err: err}
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil { // it may hold the token
		return nil, &Error{Op: "write configuration", Err: err}
	}
	return []string{"SSL_CERT_FILE=" + ca, "TF_CLI_CONFIG_FILE=" + config, "CHECKPOINT_DISABLE=1"}, nil
}
